package app

import (
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/netgate"
)

// maxConnections is how many connections and names of a turn are recorded one by one.
const maxConnections = 256

// connections turns what programs do in the network into events, a bounded number in each turn.
type connections struct {
	send func(event.Event)
	// turn returns the number of the present turn.
	turn func() int
	// of is what the programs of the session do in the network.
	of *setup.Traffic

	mu sync.Mutex
	// now is the turn of the last event, and count how many it had. dropped sums up those that are too many.
	now, count int
	dropped    event.Network
}

// seen records what a program did.
func (c *connections) seen(by string, e netgate.Event) {
	out := event.Network{
		By: by, Host: e.Host, Port: int(e.Port), Address: e.Address, Rule: e.Rule,
		Sent: e.Sent, Received: e.Received, Verdict: event.NetworkRefused,
	}
	switch {
	case e.Failed():
		out.Verdict = event.NetworkFailed
	case e.Allowed:
		out.Verdict = event.NetworkAllowed
	}
	c.mu.Lock()
	var before event.Network
	if turn := c.turn(); turn != c.now {
		before, c.dropped = c.dropped, event.Network{}
		c.now, c.count = turn, 0
	}
	c.dropped.Dropped += e.Dropped
	full := c.count >= maxConnections
	if full {
		c.dropped.Dropped++
		c.dropped.Sent, c.dropped.Received = c.dropped.Sent+e.Sent, c.dropped.Received+e.Received
	} else {
		c.count++
	}
	c.mu.Unlock()
	if before.Dropped > 0 {
		c.send(before)
	}
	if !full {
		c.send(out)
	}
}

// end waits for the last reports, for at most a time, and reports what was left out since the last turn.
func (c *connections) end(most time.Duration) {
	c.of.Close(most)
	c.mu.Lock()
	left := c.dropped
	c.dropped = event.Network{}
	c.mu.Unlock()
	if left.Dropped > 0 {
		c.send(left)
	}
}

// currentTurn returns the number of the present turn.
func (f *flight) currentTurn() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.turnNow(false)
}

// connected records an event of the network. The caller holds the lock.
func (f *flight) connected(e event.Network) {
	f.fact(session.Fact{
		Kind: session.FactNetwork, By: f.clean(e.By), Name: f.clean(e.Host), Outcome: e.Verdict, Error: f.clean(e.Rule),
		Network: &session.Connection{Port: e.Port, Address: e.Address, Sent: e.Sent, Received: e.Received, Dropped: e.Dropped},
	})
}
