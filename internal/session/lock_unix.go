//go:build unix

package session

import (
	"os"
	"syscall"
)

// lock makes the file this process's own until it is closed, or fails at once.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
