package app

import (
	"sync"

	"github.com/idelchi/aura/internal/conversation/event"
)

// events brings what the conversation and the plugins' supervisors have to say into one order.
type events struct {
	mu   sync.Mutex
	emit func(event.Event)
}

func (e *events) send(ev event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.emit != nil {
		e.emit(ev)
	}
}
