//go:build !race

package tokens

import (
	"strings"
	"testing"
)

// TestEstimateOfHugeTexts would not finish in time if a long run of white space were counted at once.
func TestEstimateOfHugeTexts(t *testing.T) {
	t.Parallel()
	for unit, size := range map[string]int{" \n": 1 << 17, "\t": 1 << 14, "word ": 1 << 14, "漢": 1 << 14} {
		text := strings.Repeat(unit, size/len(unit))
		if got := Estimate(text); got <= 0 || got > len(text) {
			t.Errorf("%q: %d tokens of %d bytes", unit, got, len(text))
		}
	}
}

// TestLongPieces would not finish in time if the time grew with the square of the length.
func TestLongPieces(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat("a", 1<<17), strings.Repeat("xyzzy", 1<<14), strings.Repeat("=-", 1<<16)} {
		size := 0
		known.encode(text, func(token string) { size += len(token) })
		if size != len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	}
}
