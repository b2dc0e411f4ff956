package main

import (
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// redirect makes to a copy of the descriptor from.
func redirect(from, to int) error { return unix.Dup3(from, to, 0) }

// closeInherited closes the descriptors, starting with first, that aura inherited from the process that started it. It keeps
// the descriptors of the Go runtime.
func closeInherited(first int) {
	var keep []int
	for fd := 3; fd < first; fd++ {
		keep = append(keep, fd)
	}
	report("inherited descriptors", sandbox.CloseInherited(keep...))
}
