package tui

import (
	"fmt"
	"io"
	"time"

	"github.com/idelchi/aura/internal/settings/config"
)

// notifier notifies a user who looks elsewhere that aura needs attention.
type notifier struct {
	out io.Writer
	// how is one of the notifications of the settings. after is the shortest turn whose end is notified.
	how   string
	after time.Duration
	// away is set while the terminal has no focus. A terminal that does not report its focus counts as looked at.
	away bool
	// since is when the session began to work on the first of the lines that it works on without a break.
	since time.Time
}

// begin is called when the session begins to work on a line.
func (n *notifier) begin(now time.Time) {
	if n.since.IsZero() {
		n.since = now
	}
}

// end is called when the session is idle.
func (n *notifier) end(now time.Time) error {
	since := n.since
	n.since = time.Time{}
	if since.IsZero() || now.Sub(since) < n.after {
		return nil
	}
	return n.send("the turn has ended")
}

// send notifies the user if the terminal has no focus. The text is aura's own: it has no control characters.
func (n *notifier) send(text string) error {
	if !n.away {
		return nil
	}
	var sequence string
	switch n.how {
	case config.NotifyBell:
		sequence = "\a"
	case config.NotifyOSC9:
		sequence = "\x1b]9;aura: " + text + "\x1b\\"
	case config.NotifyOSC777:
		sequence = "\x1b]777;notify;aura;" + text + "\x1b\\"
	}
	if _, err := io.WriteString(n.out, sequence); err != nil {
		return fmt.Errorf("notifying the user by the terminal: %w", err)
	}
	return nil
}
