package sdk

import (
	"context"
	"sync"
)

// Event is a message of one plugin to others.
type Event struct {
	// Name is chosen by the sender. It usually begins with the sender's name, as in "tests:failed".
	Name string
	// Sender is the name of the plugin that emitted the event.
	Sender string
	// Payload is nil or consists of bool, int, int64, uint64, float64, string, []byte, []any and map[string]any.
	Payload any
}

// MaxPayload is the size of the largest payload of an event, in bytes.
const MaxPayload = 64 << 10

// handlers holds the functions that On was given, except in the interpreter.
var handlers struct {
	sync.Mutex
	of map[string][]func(context.Context, Event) error
}

// On calls handler for each event of this name that another plugin emits. The events of one sender arrive in order, one at a time,
// and each at most once. Call On in init or in Init, so that aura knows which events the plugin needs.
//
// An error that handler returns is logged. Outside of aura, as in a test, Emit calls the handlers directly.
func On(name string, handler func(ctx context.Context, e Event) error) {
	handlers.Lock()
	defer handlers.Unlock()
	if handlers.of == nil {
		handlers.of = make(map[string][]func(context.Context, Event) error)
	}
	handlers.of[name] = append(handlers.of[name], handler)
	if compiled.listen != nil && len(handlers.of[name]) == 1 {
		compiled.listen(name)
	}
}

// Emit sends an event to the other plugins that listen to it. It does not wait for them. An event for a plugin that is down or has too
// many events waiting is dropped. Emit returns an error if the payload is larger than MaxPayload or cannot be sent.
func Emit(name string, payload any) error {
	if compiled.emit != nil {
		return compiled.emit(name, payload)
	}
	handlers.Lock()
	called := handlers.of[name]
	handlers.Unlock()
	for _, handler := range called {
		if err := handler(context.Background(), Event{Name: name, Payload: payload}); err != nil {
			Log.Error("handling an event", "event", name, "error", err)
		}
	}
	return nil
}
