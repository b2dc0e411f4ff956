//go:build !linux

package sandbox

import "os"

// Self is the path of this program.
func Self() (string, error) { return os.Executable() }

// Program is the path itself: this system starts no program from a descriptor.
func Program(path string) (string, error) { return path, nil }

// KeepPrograms does nothing.
func KeepPrograms() {}

// Rename does nothing.
func Rename(string) {}
