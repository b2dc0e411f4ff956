package session_test

import (
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
)

func TestParseAge(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"12h": 12 * time.Hour, "30d": 30 * day, "2w": 14 * day, "0d": 0, "36500d": 36500 * day} {
		if got, err := session.ParseAge(text); err != nil || got != want {
			t.Errorf("%q: got %s, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "d", "30", "-1d", "+1d", "1.5d", "1m", "1y", "30 d", "1d2h", "36501d", "99999999999w"} {
		if got, err := session.ParseAge(text); err == nil {
			t.Errorf("%q: got %s", text, got)
		}
	}
}

// FuzzParseAge checks that no text yields a negative age or one beyond the limit.
func FuzzParseAge(f *testing.F) {
	for _, seed := range []string{"30d", "2w", "12h", "4294967295w", "é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if age, err := session.ParseAge(text); err == nil && (age < 0 || age > 101*365*24*time.Hour) {
			t.Errorf("%q is %s", text, age)
		}
	})
}
