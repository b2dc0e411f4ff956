package tui

import (
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

// inboxSize is how much text may wait for the screen, in bytes. A session whose terminal does not take more waits.
const inboxSize = 4 << 20

// inbox hands events from the session to the screen. A burst of events wakes the screen once.
type inbox struct {
	// wake tells the screen that events have arrived.
	wake func()

	mu     sync.Mutex
	room   *sync.Cond
	events []event.Event
	size   int
	closed bool
	poke   chan struct{}
	// ended is closed when the screen has ended.
	ended chan struct{}
}

func newInbox() *inbox {
	b := &inbox{poke: make(chan struct{}, 1), ended: make(chan struct{})}
	b.room = sync.NewCond(&b.mu)
	return b
}

// start wakes the screen from now on.
func (b *inbox) start() {
	go func() {
		for range b.poke {
			b.wake()
		}
	}()
}

// put adds an event. It waits while the inbox is full, unless the screen has ended.
func (b *inbox) put(e event.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.size > inboxSize && !b.closed {
		b.room.Wait()
	}
	b.events, b.size = append(b.events, e), b.size+weight(e)
	if !b.closed {
		select {
		case b.poke <- struct{}{}:
		default:
		}
	}
}

// drain returns the events that wait, and removes them.
func (b *inbox) drain() []event.Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.events
	b.events, b.size = nil, 0
	b.room.Broadcast()
	return out
}

// stop ends the waiting of put, because nobody takes events any more.
func (b *inbox) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.poke)
		close(b.ended)
	}
	b.room.Broadcast()
}

// weight returns the approximate size of an event.
func weight(e event.Event) int {
	const fixed = 64
	switch e := e.(type) {
	case event.Delta:
		return fixed + len(e.Text) + len(e.Thinking)
	case event.Progress:
		return fixed + len(e.Text)
	case event.ToolCall:
		return fixed + len(e.Arguments)
	case event.ToolResult:
		return fixed + len(e.Content) + len(e.Diff)
	case event.Message:
		return fixed + len(e.Content) + len(e.Thinking)
	}
	return fixed
}
