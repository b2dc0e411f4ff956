package app

import (
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

// events serializes the events of the conversation and of the plugins' supervisors.
type events struct {
	mu   sync.Mutex
	emit func(event.Event)
	// watch receives every event before the front end does; nil for nobody. It must not send events.
	watch func(event.Event)
	// hide removes secrets from events; nil shows events unchanged.
	hide *hider
}

func (e *events) send(ev event.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.watch != nil {
		e.watch(ev)
	}
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
