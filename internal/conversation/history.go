package conversation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// entry is a message of the history.
type entry struct {
	llm.Message
	// size is in bytes, and tokens is set once they are counted.
	size, tokens int
	// eject makes the message leave after one model call.
	eject bool
	// chat says that BeforeChat added the message, for the call that followed.
	chat bool
	// summary marks the message that stands for those a compaction removed.
	summary bool
}

// history is what the model is shown, without the system prompt.
type history struct {
	entries []entry
	// turns grows at its end only, until it is replaced: whoever holds an earlier version shares its beginning. turnSize is what
	// all of them but the newest count against limit.Turns, in bytes.
	turns    []sdk.Turn
	turnSize int
	// counted is how many of the entries have their tokens counted, and tokens is the sum of these. Counting waits until
	// somebody asks, so that a conversation nobody asks about does not pay for it.
	counted, tokens int
	// size is that of all entries in bytes.
	size int
	// ejectable is how many entries are to leave.
	ejectable int
	// shared is the beginning of all requests with the system prompt system: that and the first entries, sharing of them, up to
	// one that is to leave.
	shared  []llm.Message
	system  string
	sharing int
	// ids are those of all tool calls, each with the number of those that were made from it.
	ids map[string]int
}

func (h *history) add(e entry) {
	e.size = sizeOf(e.Message)
	h.size += e.size
	h.entries = append(h.entries, e)
	if e.eject {
		h.ejectable++
		return
	}
	spoken := e.Role == llm.RoleUser || e.Role == llm.RoleAssistant
	if spoken && e.Content != "" {
		h.addTurn(sdk.Turn{Role: string(e.Role), Content: e.Content})
	}
}

// addTurn bounds what the older turns take, as ledger.keep does for tool calls.
func (h *history) addTurn(t sdk.Turn) {
	if n := len(h.turns); n > 0 {
		h.turnSize += limit.TurnSize(h.turns[n-1])
	}
	h.turns = append(h.turns, t)
	if h.turnSize > limit.Turns || len(h.turns) > limit.Entries {
		h.turns, h.turnSize = limit.TrimTurns(h.turns, limit.Turns/2)
	}
}

// estimate returns the tokens of all entries. It costs as much as the entries added since it was last asked.
func (h *history) estimate() int {
	for ; h.counted < len(h.entries); h.counted++ {
		e := &h.entries[h.counted]
		e.tokens = estimate(e.Message)
		h.tokens += e.tokens
	}
	return h.tokens
}

// waiting returns the messages that are to be sent once; nil if there are none.
func (h *history) waiting() []llm.Message {
	if h.ejectable == 0 {
		return nil
	}
	var out []llm.Message
	for _, e := range h.entries {
		if e.eject {
			out = append(out, e.Message)
		}
	}
	return out
}

// eject removes those of the first n entries that are to be sent once, or of these only the ones of BeforeChat.
func (h *history) eject(n int, chatOnly bool) {
	if h.ejectable == 0 {
		return
	}
	kept := make([]entry, 0, len(h.entries))
	counted := h.counted
	for i, e := range h.entries {
		if i >= n || !e.eject || chatOnly && !e.chat {
			kept = append(kept, e)
			continue
		}
		h.ejectable--
		h.size -= e.size
		if i < counted {
			h.counted--
			h.tokens -= e.tokens
		}
	}
	h.entries = kept
}

// reset puts other entries in the place of all there are. What others hold of the old ones stays as it is.
func (h *history) reset(entries []entry) {
	*h = history{ids: h.ids, entries: make([]entry, 0, len(entries)+1), turns: []sdk.Turn{}}
	for _, e := range entries {
		h.add(e)
	}
}

// messages returns the history behind a system prompt, which may be empty. Nobody may change them: requests share what they
// have in common, so that a turn does not cost a copy of all that came before.
func (h *history) messages(system string) []llm.Message {
	if h.shared == nil || h.system != system {
		h.shared, h.system, h.sharing = make([]llm.Message, 0, len(h.entries)+shareAhead), system, 0
		if system != "" {
			h.shared = append(h.shared, llm.Message{Role: llm.RoleSystem, Content: system})
		}
	}
	for h.sharing < len(h.entries) && !h.entries[h.sharing].eject {
		h.shared = append(h.shared, h.entries[h.sharing].Message)
		h.sharing++
	}
	out := slices.Clip(h.shared)
	for _, e := range h.entries[h.sharing:] {
		out = append(out, e.Message)
	}
	return out
}

// shareAhead is for how many messages more than there are a list is made.
const shareAhead = 64

// cut returns where the last keep entries begin, not counting those that are to leave, or a little before: no tool call is
// parted from its results.
func (h *history) cut(keep int) int {
	at := len(h.entries)
	for at > 0 && keep > 0 {
		at--
		if !h.entries[at].eject {
			keep--
		}
	}
	for at > 0 && at < len(h.entries) && h.entries[at].Role == llm.RoleTool {
		at--
	}
	return at
}

// unsign drops what one service has signed, for another would not take it.
func (h *history) unsign() {
	h.entries, h.shared = slices.Clone(h.entries), nil
	for i := range h.entries {
		e := &h.entries[i]
		e.ThinkingBlocks = nil
		e.ToolCalls = slices.Clone(e.ToolCalls)
		for j := range e.ToolCalls {
			e.ToolCalls[j].Signature = nil
		}
	}
}

// identify returns the calls with identifiers that no earlier call of the session has, so that each result has one owner.
func (h *history) identify(calls []llm.ToolCall) []llm.ToolCall {
	out := slices.Clone(calls)
	for i := range out {
		base := cmp.Or(out[i].ID, "call")
		for h.taken(out[i].ID) {
			h.ids[base]++
			out[i].ID = fmt.Sprintf("%s_%d", base, h.ids[base])
		}
		h.take(out[i].ID)
	}
	return out
}

func (h *history) taken(id string) bool {
	_, ok := h.ids[id]
	return ok || id == ""
}

// take notes the identifier of a call.
func (h *history) take(id string) {
	if !h.taken(id) {
		h.ids[id] = 0
	}
}
