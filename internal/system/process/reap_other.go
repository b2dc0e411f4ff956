//go:build !linux

package process

import (
	"fmt"
	"os"
)

// Reaps reports whether Reaped has an effect.
const Reaps = false

// Reaped returns the specification as it is: this system does not let a process adopt orphans.
func (s Spec) Reaped(string) Spec { return s }

// Reap is not used on this system.
func Reap([]string) int {
	fmt.Fprintf(os.Stderr, "%s is for aura's own use, on Linux\n", ReaperArgument)
	return ReaperStatus
}
