//go:build !linux

package process

// Fork runs f and returns what it returns. This system has no death signal that follows a thread.
func Fork(f func() error) error { return f() }

// awaitEnd is false: this system reports the end of a child only by reaping it.
func awaitEnd(int) bool { return false }
