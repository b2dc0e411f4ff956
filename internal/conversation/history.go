package conversation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// entry is a message of the history.
type entry struct {
	llm.Message
	tokens int
	// eject makes the message leave after one model call.
	eject bool
}

// history is what the model is shown, without the system prompt.
type history struct {
	entries []entry
	// turns grows at its end only: whoever holds an earlier version shares its beginning.
	turns []sdk.Turn
	// tokens is the estimate of all entries.
	tokens int
	// ids are those of all tool calls.
	ids map[string]bool
}

func (h *history) add(m llm.Message, eject bool) {
	e := entry{Message: m, tokens: estimate(m), eject: eject}
	h.entries = append(h.entries, e)
	h.tokens += e.tokens
	spoken := m.Role == llm.RoleUser || m.Role == llm.RoleAssistant
	if spoken && m.Content != "" && !eject {
		h.turns = append(h.turns, sdk.Turn{Role: string(m.Role), Content: m.Content})
	}
}

// eject removes those of the first n entries that are to be sent once.
func (h *history) eject(n int) {
	kept := make([]entry, 0, len(h.entries))
	for i, e := range h.entries {
		if i < n && e.eject {
			h.tokens -= e.tokens
			continue
		}
		kept = append(kept, e)
	}
	h.entries = kept
}

// messages returns the history behind a system prompt, which may be empty.
func (h *history) messages(system string) []llm.Message {
	out := make([]llm.Message, 0, len(h.entries)+1)
	if system != "" {
		out = append(out, llm.Message{Role: llm.RoleSystem, Content: system})
	}
	for _, e := range h.entries {
		out = append(out, e.Message)
	}
	return out
}

// identify returns the calls with identifiers that no earlier call of the session has, so that each result has one owner.
func (h *history) identify(calls []llm.ToolCall) []llm.ToolCall {
	if h.ids == nil {
		h.ids = map[string]bool{}
	}
	out := slices.Clone(calls)
	for i := range out {
		id := out[i].ID
		for n := 1; id == "" || h.ids[id]; n++ {
			id = fmt.Sprintf("%s_%d", cmp.Or(out[i].ID, "call"), n)
		}
		out[i].ID, h.ids[id] = id, true
	}
	return out
}
