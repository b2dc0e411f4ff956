package cli

import (
	"io"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// jsonRenderer writes every event as a line of JSON to standard output, and nothing else. The lines are in the order of their
// numbers, whichever goroutine sends an event.
type jsonRenderer struct {
	out io.Writer
	// listed reports whether an event is written. If it is nil, all events are written.
	listed func(event.Event) bool

	mu    sync.Mutex
	lines event.Encoder
	// err is the first failure.
	err error
}

// Event writes a line.
func (r *jsonRenderer) Event(e event.Event) {
	if r.listed != nil && !r.listed(e) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	line, err := r.lines.Next(e)
	if err == nil {
		_, err = r.out.Write(append(plaintext.JSON(line), '\n'))
	}
	if r.err == nil {
		r.err = err
	}
}

func (r *jsonRenderer) finish() {}

// failure returns the first error of writing or encoding.
func (r *jsonRenderer) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
