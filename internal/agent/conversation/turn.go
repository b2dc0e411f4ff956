package conversation

import (
	"sync"

	"github.com/idelchi/aura/internal/agent/llm"
)

// turn is the state of the current turn, or of the last one.
type turn struct {
	mu    sync.Mutex
	state turnState
}

type turnState struct {
	iteration int
	// appended is the text that plugins append to the system prompt in this turn.
	appended string
	// empty, silent and calls describe the last response: it was empty, it had no text, it had tool calls.
	empty, silent, calls bool
}

func (t *turn) get() turnState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state
}

// open starts a turn.
func (t *turn) open(iteration int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.iteration = iteration
}

// appendSystem sets the text that is appended to the system prompt of this turn.
func (t *turn) appendSystem(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.appended = text
}

// responded records the properties of a response. The zero value is an empty response.
func (t *turn) responded(m llm.Message) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.silent, t.state.calls = m.Content == "", len(m.ToolCalls) > 0
	t.state.empty = t.state.silent && !t.state.calls
}

// forget removes the properties of the last response, because it is not part of the history any more.
func (t *turn) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state.empty, t.state.silent, t.state.calls = false, false, false
}
