//go:build !race && !raceaura

package harness

// raceFlags are the flags of go build that give aura the race detector: none.
var raceFlags []string
