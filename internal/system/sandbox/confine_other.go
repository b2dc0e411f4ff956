//go:build !linux

package sandbox

import (
	"fmt"
	"runtime"
)

// Confine always returns an error: this system has no means to confine a process.
func Confine(Policy, Isolation) (Report, error) {
	return Report{}, fmt.Errorf("confining: %w: %s", ErrUnsupported, Support().Reason())
}

// Support reports that nothing can be enforced on this system.
func Support() Status {
	return Status{Rows: []Row{{Name: "files", Required: true, Detail: "only Linux can confine processes, this is " + runtime.GOOS}}}
}
