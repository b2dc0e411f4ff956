//go:build linux && cgo

package sandbox

import (
	"errors"
	"os"
	"strconv"
)

// checkThreads refuses where the threads of this process cannot be found. A build with cgo looks for them in /proc, and with that
// of another process namespace it would look at the wrong process and never end.
func checkThreads() error {
	self, err := os.Readlink("/proc/self")
	if err != nil {
		return err
	}
	if self != strconv.Itoa(os.Getpid()) {
		return errors.New("finding the threads of this process: /proc shows another namespace; use a build without cgo (CGO_ENABLED=0)")
	}
	return nil
}
