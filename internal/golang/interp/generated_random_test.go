//go:build generated

package interp

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	generateFor  = flag.Duration("generate.for", 5*time.Second, "how long programs of random seeds are compared")
	generateFrom = flag.Uint64("generate.from", 0, "the first seed instead of a random one")
	generateRuns = flag.Uint64("generate.batch", 50, "how many programs are compiled at a time")
)

// TestGeneratedRandom compares programs of random seeds with what they print when Go compiles them. A failure names its seed.
func TestGeneratedRandom(t *testing.T) {
	first := *generateFrom
	if first == 0 {
		first = rand.Uint64() >> 1 //nolint:gosec // any seed will do
	}
	for end := time.Now().Add(*generateFor); ; first += *generateRuns {
		programs := randomPrograms(first, *generateRuns)
		compareGenerated(t, programs, compiled(t, programs))
		if t.Failed() || time.Now().After(end) {
			return
		}
	}
}
