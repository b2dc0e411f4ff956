package conversation

import (
	"context"
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/llm"
)

// Waiting is what plugins want of the next model call. It is kept apart from the history, which it is no part of.
type Waiting struct {
	// Messages go with that call and leave after it.
	Messages []llm.Message
	// DisableTools are patterns of the tools that the call does not offer.
	DisableTools []string
}

// Keeper is a Journal that keeps what waits for the next model call too. What it is given takes the place of what it was given
// before.
type Keeper interface {
	Waiting(w Waiting) error
}

// keepWaiting gives what waits for the next model call to the journal, if it has changed.
func (c *Conversation) keepWaiting() {
	journal, ok := c.cfg.Journal.(Keeper)
	if !ok {
		return
	}
	c.mu.Lock()
	now := Waiting{Messages: c.history.waiting(), DisableTools: slices.Clone(c.disableNext)}
	changed := !reflect.DeepEqual(now, c.kept)
	c.kept = now
	c.mu.Unlock()
	if changed {
		c.keepError(journal.Waiting(now))
	}
}

// await takes up what waited for the next model call in a saved conversation.
func (c *Conversation) await(w Waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disableNext, c.kept = slices.Clone(w.DisableTools), w
	for _, m := range w.Messages {
		// A journal can be edited by hand. Plugins speak in two roles, and call no tools.
		if m.Role != llm.RoleUser {
			m.Role = llm.RoleAssistant
		}
		m.ToolCalls, m.ToolCallID, m.Synthetic = nil, "", true
		c.history.add(entry{Message: m, eject: true})
	}
}

// called ends the wait for a model call. What an interrupted call took with it waits for the next one, except for the messages
// of BeforeChat: that hook is asked again.
func (c *Conversation) called(ctx context.Context, answered bool) {
	c.mu.Lock()
	again := !answered && ctx.Err() != nil
	c.history.eject(c.turn.sent, again)
	if again {
		c.disableNext = union(c.turn.disabled, c.disableNext)
	}
	c.turn.sent, c.turn.disabled = 0, nil
	c.mu.Unlock()
	c.keepWaiting()
}

// union returns both lists as one without duplicates.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
