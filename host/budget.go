package host

import "time"

// The restart budget. The first restart is immediate, so that a call shortly afterwards is served.
const (
	// A plugin is quarantined after crashLimit crashes within crashWindow.
	crashLimit  = 3
	crashWindow = 5 * time.Minute
	// calm is the time without a crash after which earlier crashes are forgotten.
	calm = time.Minute
)

var backoff = []time.Duration{0, time.Second, 5 * time.Second, 30 * time.Second}

// budget decides what happens after a crash. The zero value belongs to a plugin that never crashed. The owner guards it.
type budget struct {
	crashes []time.Time
}

// spend records a crash at now and returns how long to wait before the restart, or false if the plugin is to be quarantined.
func (b *budget) spend(now time.Time) (wait time.Duration, ok bool) {
	if n := len(b.crashes); n > 0 && now.Sub(b.crashes[n-1]) >= calm {
		b.crashes = nil
	}
	for len(b.crashes) > 0 && now.Sub(b.crashes[0]) > crashWindow {
		b.crashes = b.crashes[1:]
	}
	b.crashes = append(b.crashes, now)
	if len(b.crashes) >= crashLimit {
		return 0, false
	}
	return backoff[min(len(b.crashes)-1, len(backoff)-1)], true
}
