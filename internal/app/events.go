package app

import (
	"sync"

	"github.com/idelchi/aura/internal/conversation/event"
)

// events brings what the conversation and the plugins' supervisors have to say into one order.
type events struct {
	mu   sync.Mutex
	emit func(event.Event)
	// hide takes secrets out of what is shown; nil leaves everything as it is.
	hide *hider
}

func (e *events) send(ev event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.emit == nil {
		return
	}
	if e.hide == nil {
		e.emit(ev)
		return
	}
	for _, shown := range e.hide.hide(ev) {
		e.emit(shown)
	}
}
