package app

import (
	"context"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/base/redact"
)

// maxStates is how many changes of plugins' states wait for shell hooks.
const maxStates = 64

// states passes changes of plugins' states to shell hooks, in order and without slowing the plugins. The zero value passes nothing on until
// begin, but keeps what changes before.
type states struct {
	waiting chan host.StateChange
	end     context.CancelFunc
	ended   chan struct{}
}

func newStates() *states { return &states{waiting: make(chan host.StateChange, maxStates)} }

// add adds a change. If too many changes wait, it is dropped.
func (s *states) add(c host.StateChange) {
	select {
	case s.waiting <- c:
	default:
	}
}

// begin runs do for each change, one at a time, until close.
func (s *states) begin(secrets *redact.Current, do func(ctx context.Context, plugin, previous, state, reason string)) {
	ctx, end := context.WithCancel(context.Background())
	s.end, s.ended = end, make(chan struct{})
	go func() {
		defer close(s.ended)
		for {
			select {
			case <-ctx.Done():
				return
			case c := <-s.waiting:
				do(ctx, c.Plugin, string(c.From), string(c.To), reasonText(c.Reason, secrets.Get()))
			}
		}
	}()
}

// close ends the hooks that run and waits for them.
func (s *states) close() {
	if s.end != nil {
		s.end()
		<-s.ended
	}
}
