package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

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
	from := s.sup.specNow().Name
	s.sup.mail.count(func(c *EventCounts) { c.Emitted++ })
	for _, to := range s.sup.peers() {
		if to.sup != s.sup && to.sup.listens(name) {
			to.sup.post(shared.EventCall{Name: name, Sender: from, Payload: payload})
		}
	}
	return nil
}

// Listen adds an event to those that the child handles.
func (s services) Listen(_ context.Context, name string) error {
	if err := checkEvent(name, nil); err != nil {
		return fmt.Errorf("listening to an event: %w", err)
	}
	s.sup.mu.Lock()
	defer s.sup.mu.Unlock()
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
	answer, err := s.sup.opts.State(ctx, s.sup.specNow().Name, r)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known && slices.Contains(s.exports.Listens, name) || s.cur != nil && slices.Contains(s.cur.listens, name)
}

// EventCounts counts the events of one plugin in one session.
type EventCounts struct {
	// Emitted counts the events that the plugin emitted.
	Emitted int64 `json:"emitted"`
	// Delivered counts the events whose handlers returned without an error, and Failed the others that reached the plugin's process or
	// found none. Dropped counts the events for which there was no room. Waiting is how many wait or are being handled now.
	Delivered int64 `json:"delivered"`
	Failed    int64 `json:"failed"`
	Dropped   int64 `json:"dropped"`
	Waiting   int64 `json:"waiting"`
}

// mailbox holds the events that wait for one plugin.
type mailbox struct {
	mu      sync.Mutex
	waiting []shared.EventCall
	bytes   int
	counts  EventCounts
	// delivering is closed when the goroutine that delivers has ended; nil if there is none.
	delivering chan struct{}
	closed     bool
}

func (m *mailbox) count(change func(*EventCounts)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.counts)
}

func (m *mailbox) snapshot() EventCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts
}

// add appends an event, or drops it. It reports whether a goroutine that delivers must be started.
func (m *mailbox) add(e shared.EventCall) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	size := len(e.Name) + len(e.Payload)
	if m.closed || len(m.waiting) >= limit.WaitingEvents || m.bytes+size > limit.WaitingEventBytes {
		m.counts.Dropped++
		return false
	}
	m.waiting = append(m.waiting, e)
	m.bytes += size
	m.counts.Waiting++
	if m.delivering != nil {
		return false
	}
	m.delivering = make(chan struct{})
	return true
}

// next removes the oldest event. Without one, the goroutine that delivers ends.
func (m *mailbox) next() (shared.EventCall, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.waiting) == 0 || m.closed {
		close(m.delivering)
		m.delivering = nil
		return shared.EventCall{}, false
	}
	e := m.waiting[0]
	m.waiting[0] = shared.EventCall{}
	if m.waiting = m.waiting[1:]; len(m.waiting) == 0 {
		m.waiting = nil // so that the array does not grow forever
	}
	m.bytes -= len(e.Name) + len(e.Payload)
	return e, true
}

// close drops what waits and returns when nothing is delivered any more.
func (m *mailbox) close() {
	m.mu.Lock()
	m.closed = true
	m.counts.Dropped += int64(len(m.waiting))
	m.counts.Waiting -= int64(len(m.waiting))
	m.waiting, m.bytes = nil, 0
	delivering := m.delivering
	m.mu.Unlock()
	if delivering != nil {
		<-delivering
	}
}

// post delivers an event in the background, after those that wait already.
func (s *supervisor) post(e shared.EventCall) {
	if !s.mail.add(e) {
		return
	}
	go func() {
		for {
			e, ok := s.mail.next()
			if !ok {
				return
			}
			s.deliver(e)
		}
	}()
}

func (s *supervisor) deliver(e shared.EventCall) {
	spec := s.specNow()
	took, err := s.callAs(s.life, PointEvent+" "+e.Name, timeoutsOf(spec.Manifest).hook, true, func(ctx context.Context, r shared.Remote) error {
		return r.Event(ctx, e)
	})
	s.observe(s.life, Call{Point: PointEvent, Request: e, Err: err, span: took})
	s.logReturned(err)
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.settling) > 0 {
		return s.settling[0]
	}
	s.mail.mu.Lock()
	defer s.mail.mu.Unlock()
	if s.mail.delivering == nil {
		return nil
	}
	return s.mail.delivering
}
