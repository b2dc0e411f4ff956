package sdk

import (
	"math/rand/v2"
	"time"
)

// Now returns the current time. A recording keeps the answer, and a replay returns it again, so that a plugin that uses Now instead of
// time.Now gives the same results in a replay. It asks aura, which takes about as long as reading a value of a Store. Outside of aura,
// as in a test, it is time.Now.
func Now() time.Time {
	if compiled.now != nil {
		return compiled.now()
	}
	return time.Now()
}

// Rand returns a random number. A recording keeps the answer, as it does for Now. The numbers are not meant for secrets.
func Rand() uint64 {
	if compiled.rand != nil {
		return compiled.rand()
	}
	return rand.Uint64()
}
