package conversation

import (
	"context"
	"reflect"
	"slices"

	"github.com/idelchi/aura/internal/llm"
)

// Waiting holds what plugins requested for the next model call. It is not part of the history and is saved separately.
type Waiting struct {
	// Messages are sent with the next model call and removed after it.
	Messages []llm.Message
	// DisableTools holds patterns of the tools that the call does not offer.
	DisableTools []string
}

// Keeper is a Journal that also saves what is pending for the next model call. Each value replaces the previous one.
type Keeper interface {
	Waiting(w Waiting) error
}

// keepWaiting saves what is pending for the next model call in the journal, if it has changed.
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

// await restores what was pending for the next model call in a saved conversation.
func (c *Conversation) await(w Waiting) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.disableNext, c.kept = slices.Clone(w.DisableTools), w
	for _, m := range w.Messages {
		// Users can edit a journal by hand. Messages of plugins have one of two roles and contain no tool calls.
		if m.Role != llm.RoleUser {
			m.Role = llm.RoleAssistant
		}
		m.ToolCalls, m.ToolCallID, m.Synthetic = nil, "", true
		c.history.add(entry{Message: m, eject: true})
	}
}

// called removes what was pending for the model call that ended. After an interrupted call, the messages and the disabled tools
// stay pending for the next call, except for the messages of BeforeChat, because that hook runs again.
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

// union returns the elements of both slices without duplicates.
func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
