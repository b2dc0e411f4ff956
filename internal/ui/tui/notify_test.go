package tui

import (
	"bytes"
	"testing"
	"time"
)

// TestNotifier checks when the user is notified that a turn has ended, and how.
func TestNotifier(t *testing.T) {
	t.Parallel()
	start := time.Now()
	for name, row := range map[string]struct {
		how    string
		away   bool
		begins []time.Duration
		ends   time.Duration
		want   string
	}{
		"a bell":                    {"bell", true, []time.Duration{0}, 10 * time.Second, "\a"},
		"OSC 9":                     {"osc9", true, []time.Duration{0}, 10 * time.Second, "\x1b]9;aura: the turn has ended\x1b\\"},
		"OSC 777":                   {"osc777", true, []time.Duration{0}, 10 * time.Second, "\x1b]777;notify;aura;the turn has ended\x1b\\"},
		"off":                       {"off", true, []time.Duration{0}, 10 * time.Second, ""},
		"the user looks":            {"bell", false, []time.Duration{0}, 10 * time.Second, ""},
		"a short turn":              {"bell", true, []time.Duration{0}, 9 * time.Second, ""},
		"several turns without end": {"bell", true, []time.Duration{0, 8 * time.Second}, 11 * time.Second, "\a"},
		"no turn":                   {"bell", true, nil, time.Hour, ""},
	} {
		var out bytes.Buffer
		n := notifier{out: &out, how: row.how, after: 10 * time.Second, away: row.away}
		for _, at := range row.begins {
			n.begin(start.Add(at))
		}
		if err := n.end(start.Add(row.ends)); err != nil {
			t.Fatal(err)
		}
		if out.String() != row.want {
			t.Errorf("%s: wrote %q, want %q", name, out.String(), row.want)
		}
		if err := n.end(start.Add(time.Hour)); err != nil || out.String() != row.want {
			t.Errorf("%s: notified twice: %q, %v", name, out.String(), err)
		}
	}
}
