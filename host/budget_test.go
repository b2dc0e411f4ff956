package host

import (
	"testing"
	"time"
)

func TestBudget(t *testing.T) {
	t.Parallel()
	type crash struct {
		after time.Duration
		wait  time.Duration
		ok    bool
	}
	rows := []struct {
		name    string
		crashes []crash
	}{
		{"the first restart is immediate", []crash{{0, 0, true}}},
		{"the second waits a second", []crash{{0, 0, true}, {time.Second, time.Second, true}}},
		{"the third within five minutes is quarantine", []crash{{0, 0, true}, {time.Second, time.Second, true}, {time.Second, 0, false}}},
		{"just under a minute apart still counts", []crash{{0, 0, true}, {59 * time.Second, time.Second, true}, {59 * time.Second, 0, false}}},
		{"a minute of calm forgives", []crash{{0, 0, true}, {time.Second, time.Second, true}, {time.Minute, 0, true}, {time.Second, time.Second, true}}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var b budget
			now := time.Unix(0, 0)
			for i, c := range row.crashes {
				now = now.Add(c.after)
				if wait, ok := b.spend(now); wait != c.wait || ok != c.ok {
					t.Errorf("crash %d: got %s, %t, want %s, %t", i+1, wait, ok, c.wait, c.ok)
				}
			}
		})
	}
}
