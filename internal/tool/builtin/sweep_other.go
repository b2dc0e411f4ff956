//go:build unix && !linux

package builtin

// sweep does nothing where the environment of processes cannot be read: those that leave their group survive.
func sweep(string) {}
