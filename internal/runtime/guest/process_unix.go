//go:build unix

package guest

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// passesFiles reports whether a process can be started with further descriptors.
const passesFiles = true

// howEnded says how a process ended.
func howEnded(name string, state *os.ProcessState) error {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return fmt.Errorf("%s was killed by %s", name, unix.SignalName(status.Signal()))
	}
	return &ExitError{Status: state.ExitCode(), name: name}
}
