package host

import (
	"sync"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/shared"
)

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
	// mu guards all fields.
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

// post hands an event to deliver in the background, after those that wait already.
func (m *mailbox) post(e shared.EventCall, deliver func(shared.EventCall)) {
	if !m.add(e) {
		return
	}
	go func() {
		for {
			e, ok := m.next()
			if !ok {
				return
			}
			deliver(e)
		}
	}()
}

// delivery returns a channel that is closed when no event waits any more; nil if none does.
func (m *mailbox) delivery() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.delivering == nil {
		return nil
	}
	return m.delivering
}
