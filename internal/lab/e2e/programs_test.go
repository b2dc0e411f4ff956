//go:build linux

package e2e

import (
	"errors"
	"os"
	"syscall"
)

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	return errors.Join(err, writeProgram(to, data))
}

// writeProgram writes a program that is started soon. No process starts meanwhile: until it executes its own program, it would hold
// the file open for writing, and the kernel does not execute such a file.
func writeProgram(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o755) //nolint:gosec // it is a program
}
