package sandbox

import (
	"fmt"
	"os"
	"runtime"
)

// CheckHosts returns why this system cannot enforce Policy.Hosts; nil if nothing is known against it. A policy whose hosts cannot be
// enforced has no network. Whether the system permits namespaces shows only when a process confines itself, which then reports it.
func CheckHosts() error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%w by hosts", ErrUnsupported)
	}
	if _, err := os.Stat("/proc/self/ns/net"); err != nil {
		return fmt.Errorf("the kernel has no network namespaces, or there is no /proc: %w", err)
	}
	return nil
}
