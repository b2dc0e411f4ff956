package session

import (
	"strings"
	"testing"
)

// TestLines checks the limits of a journal, using limits smaller than the real ones.
func TestLines(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ text, want string }{
		"within both":      {"12345678\n12345678\n", ""},
		"a long record":    {"1\n1234567890\n", "a record of more than 9 bytes"},
		"an endless one":   {"1\n" + strings.Repeat("\x00", 1<<20), "a record of more than 9 bytes"},
		"many of them":     {strings.Repeat("1\n", 20), "more than 20 bytes"},
		"many without end": {strings.Repeat("1\n", 1<<20), "more than 20 bytes"},
	} {
		l := newLines(strings.NewReader(row.text))
		l.maxRecord, l.maxJournal = 9, 20
		var err error
		for err == nil && !l.ended() {
			_, _, err = l.next(false)
		}
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%s: got %v, want %q", name, err, row.want)
		}
	}
	if l := newLines(strings.NewReader("")); l.maxRecord != maxRecord || l.maxJournal != maxJournal {
		t.Errorf("the bounds are %d and %d", l.maxRecord, l.maxJournal)
	}
}
