//go:build linux && cgo

package sandbox

import (
	"errors"
	"os"
	"strconv"
)

// checkThreads returns an error if the threads of this process cannot be found. A build with cgo searches for them in /proc. If
// /proc belonged to another process namespace, the search would examine the wrong process and never end.
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
