package conversation

import (
	"context"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Waiting holds what plugins requested for the next model call. It is not part of the history and is saved separately.
type Waiting struct {
	// Messages are sent with the next model call and removed after it.
	Messages []llm.Message
	// DisableTools holds patterns of the tools that the call does not offer.
	DisableTools []string
}

// keepWaiting saves what is pending for the next model call in the journal, if it has changed.
func (c *Conversation) keepWaiting() { c.transcript.keepWaiting(c.offer.pending()) }

// await restores what was pending for the next model call in a saved conversation.
func (c *Conversation) await(w Waiting) {
	c.offer.restore(w.DisableTools)
	c.transcript.await(w)
}

// called removes what was pending for the model call that ended. After an interrupted call, the messages and the disabled tools
// stay pending for the next call, except for the messages of BeforeChat, because that hook runs again.
func (c *Conversation) called(ctx context.Context, answered bool) {
	again := !answered && ctx.Err() != nil
	c.transcript.called(again)
	c.offer.called(again)
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
