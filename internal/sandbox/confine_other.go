//go:build !linux

package sandbox

import (
	"fmt"
	"runtime"
)

// Confine refuses: this system has nothing to confine a process with.
func Confine(Policy, Isolation) (Report, error) {
	return Report{}, fmt.Errorf("confining: %w: %s", ErrUnsupported, Support().Reason())
}

// Support says that nothing can be enforced here.
func Support() Status {
	return Status{Rows: []Row{{Name: "files", Required: true, Detail: "only Linux can confine processes, this is " + runtime.GOOS}}}
}
