//go:build race || raceaura

package harness

// raceFlags are the flags of go build that give aura the race detector. With the tag raceaura, aura has it and the tests do not.
var raceFlags = []string{"-race"}
