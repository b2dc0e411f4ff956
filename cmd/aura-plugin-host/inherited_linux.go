package main

import (
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/sandbox"
)

// redirect makes descriptor to a copy of descriptor from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// closeInherited closes the descriptors from first on that this process has only because aura got them from whoever started it.
// The runtime's own stay.
func closeInherited(first int) {
	var keep []int
	for fd := 3; fd < first; fd++ {
		keep = append(keep, fd)
	}
	report("inherited descriptors", sandbox.CloseInherited(keep...))
}
