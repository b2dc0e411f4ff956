package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// services is what aura does at the request of one child. It implements shared.Services.
type services struct {
	sup   *supervisor
	child *child
	// tape keeps what is asked; nil if nobody reads it.
	tape *tape
}

// Emit passes an event to the plugins that listen to it. It never waits.
func (s services) Emit(_ context.Context, name string, payload []byte) error {
	if err := checkEvent(name, payload); err != nil {
		return fmt.Errorf("emitting an event: %w", err)
	}
	from := s.sup.reports.plugin
	s.sup.mail.count(func(c *EventCounts) { c.Emitted++ })
	for _, to := range s.sup.peers() {
		if to.sup != s.sup && to.sup.listens(name) {
			to.sup.mail.post(shared.EventCall{Name: name, Sender: from, Payload: payload}, to.sup.deliver)
		}
	}
	return nil
}

// Listen adds an event to those that the child handles.
func (s services) Listen(_ context.Context, name string) error {
	if err := checkEvent(name, nil); err != nil {
		return fmt.Errorf("listening to an event: %w", err)
	}
	s.sup.life.mu.Lock()
	defer s.sup.life.mu.Unlock()
	if slices.Contains(s.child.listens, name) {
		return nil
	}
	if len(s.child.listens) >= limit.EventNames {
		return fmt.Errorf("listening to an event: a plugin can listen to %d events in addition to those at its start", limit.EventNames)
	}
	s.child.listens = append(s.child.listens, name)
	return nil
}

// checkEvent returns an error for an event that is too large. The SDK checks that too, but the child is not trusted.
func checkEvent(name string, payload []byte) error {
	switch {
	case name == "":
		return errors.New("it has no name")
	case len(name) > limit.EventName:
		return fmt.Errorf("its name has %d bytes, more than the limit of %d", len(name), limit.EventName)
	case len(payload) > sdk.MaxPayload:
		return fmt.Errorf("its payload has %d bytes, more than the limit of %d KiB", len(payload), sdk.MaxPayload>>10)
	default:
		return nil
	}
}

// State changes or reads a store of the plugin.
func (s services) State(ctx context.Context, r shared.StateRequest) (shared.StateAnswer, error) {
	if s.sup.opts.State == nil {
		return shared.StateAnswer{}, errors.New("asking for state: there is no place to keep it")
	}
	answer, err := s.sup.opts.State(ctx, s.sup.reports.plugin, r)
	s.asked(Ask{State: &StateAsk{Request: r, Answer: answer}}, err)
	return answer, err
}

// serve handles the requests of a child until its connection ends.
func (c *child) serve(s *supervisor) {
	c.serving.Go(func() {
		// The error says that the connection has ended.
		_ = c.Serve(context.Background(), services{s, c, &c.tape})
	})
}

// listens reports whether the plugin handles an event and can be called.
func (s *supervisor) listens(name string) bool {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	return s.code.known && slices.Contains(s.code.exports.Listens, name) || s.life.cur != nil && slices.Contains(s.life.cur.listens, name)
}

func (s *supervisor) deliver(e shared.EventCall) {
	err := s.do(s.life.ctx, e).Err
	s.log.returned(err)
	s.mail.count(func(c *EventCounts) {
		c.Waiting--
		if err != nil {
			c.Failed++
		} else {
			c.Delivered++
		}
	})
}

// Drain returns when no event waits for a plugin and no plugin works on a cancelled call, or when ctx is done.
func (f *Fleet) Drain(ctx context.Context) {
	for {
		var busy <-chan struct{}
		for _, p := range f.Plugins() {
			if w := p.sup.working(); w != nil {
				busy = w
			}
		}
		if busy == nil {
			return
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return
		}
	}
}

// working returns a channel that is closed when something has ended that Drain waits for, or nil if there is nothing.
func (s *supervisor) working() <-chan struct{} {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if len(s.life.cancelled) > 0 {
		return s.life.cancelled[0]
	}
	return s.mail.delivery()
}
