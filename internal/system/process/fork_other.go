//go:build !linux

package process

// Fork runs f and returns its error. This system has no death signal that depends on a thread.
func Fork(f func() error) error { return f() }

// awaitEnd returns false: this system reports the end of a child only by reaping it.
func awaitEnd(int) bool { return false }
