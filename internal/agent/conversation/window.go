package conversation

import (
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/agent/tokens"
	"github.com/idelchi/aura/sdk"
)

// window measures how much of the model's context window the next request takes. It reads the other parts and changes none.
type window struct {
	personas   *personas
	transcript *transcript
	offer      *offer
	turn       *turn
	ledger     *ledger

	// mu guards counts, which caches the token counts of system prompts.
	mu     sync.Mutex
	counts tokens.Cache
}

// system returns the system prompt that is sent in this turn.
func (w *window) system() string {
	system, appended := w.personas.current().System, w.turn.get().appended
	if system == "" || appended == "" {
		return system + appended
	}
	return system + "\n\n" + appended
}

// systemTokens returns the estimated tokens of the system prompt.
func (w *window) systemTokens() int {
	system := w.system()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts.Estimate(system)
}

// tokens returns how full the context window is, based on an estimate of the next request. Percent is 100 if the request does not fit.
func (w *window) tokens() sdk.TokenState {
	state := sdk.TokenState{
		Estimate: w.systemTokens() + w.transcript.estimate() + w.offer.estimate(),
		LastAPI:  w.ledger.last(),
		Max:      w.personas.current().window(),
	}
	if state.Max > 0 {
		state.Percent = min(100*float64(state.Estimate)/float64(state.Max), 100)
	}
	return state
}

// bound returns the state of the window with an upper bound for the tokens of the next request: its bytes. It is cheap to compute.
func (w *window) bound() sdk.TokenState {
	return sdk.TokenState{
		Estimate: len(w.system()) + w.transcript.size() + w.offer.size(),
		Max:      w.personas.current().window(),
	}
}

// counted returns the tokens of the n messages of a request: the system prompt, if there is one, and the history.
func (w *window) counted(n int) []int {
	out := w.transcript.counted()
	if n > len(out) {
		out = slices.Insert(out, 0, w.systemTokens())
	}
	return out
}

// composition returns what fills the window. The parts add up to the estimate of tokens.
func (w *window) composition() Composition {
	out := w.transcript.composition()
	out.System, out.Tools = w.systemTokens(), w.offer.estimate()
	return out
}
