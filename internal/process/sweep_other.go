//go:build !linux

package process

// AdoptOrphans does nothing: this system has no such parents.
func AdoptOrphans() error { return nil }

// KillMarked does nothing where the environment of processes cannot be read: who left the group survives.
func KillMarked(string) {}

// KillDescendants does nothing: only the group can be killed here.
func KillDescendants(int) {}

// SeizeDescendants does nothing: only the group can be ended here.
func SeizeDescendants() {}

// Usage is known on Linux only.
func Usage(int) (memory int64, cpu float64) { return 0, 0 }
