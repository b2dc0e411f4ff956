//go:build !linux

package sandbox

import "os"

// Self returns the path of this program.
func Self() (string, error) { return os.Executable() }

// Program returns the path unchanged: this system does not start programs from descriptors.
func Program(path string) (string, error) { return path, nil }

// KeepPrograms does nothing on this system.
func KeepPrograms() {}

// Rename does nothing on this system.
func Rename(string) {}
