//go:build !linux

package sandbox

// isPlain returns false: only Linux can tell with one system call.
func isPlain(string) bool { return false }
