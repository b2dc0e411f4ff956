//go:build !linux

package process

// AdoptOrphans does nothing: this system does not let a process adopt orphans.
func AdoptOrphans() error { return nil }

// KillMarked does nothing, because the environment of processes cannot be read here. A process that left the group survives.
func KillMarked(string) {}

// KillDescendants does nothing: only the group can be killed on this system.
func KillDescendants(int) {}

// SeizeDescendants does nothing: only the group can be ended on this system.
func SeizeDescendants() {}

// Programs returns nothing: descendants are known on Linux only.
func Programs(int) []string { return nil }

// Usage returns 0: usage is known on Linux only.
func Usage(int) (memory int64, cpu float64) { return 0, 0 }
