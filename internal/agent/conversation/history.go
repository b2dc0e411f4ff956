package conversation

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// entry is a message in the history.
type entry struct {
	llm.Message
	// size is in bytes. tokens is set once the tokens are counted.
	size, tokens int
	// eject removes the message after one model call.
	eject bool
	// chat reports that BeforeChat added the message for the call that followed.
	chat bool
	// summary marks the summary that replaced messages in a compaction.
	summary bool
}

// history holds what the model is sent, without the system prompt.
type history struct {
	entries []entry
	// turns only grows at its end until it is replaced, so a caller that holds an earlier version shares its beginning.
	// turnSize is how much all turns except the newest count against limit.Turns, in bytes.
	turns    []sdk.Turn
	turnSize int
	// counted is how many of the entries have their tokens counted, and tokens is the sum of those tokens. Counting is delayed
	// until a caller needs it, so that other conversations do not pay for it.
	counted, tokens int
	// size is the size of all entries, in bytes.
	size int
	// ejectable is how many entries have eject set.
	ejectable int
	// shared is the common beginning of all requests with the system prompt system. It contains the system prompt and the first
	// sharing entries, up to an entry with eject set.
	shared  []llm.Message
	system  string
	sharing int
	// ids holds the identifiers of all tool calls, each with the number of identifiers that were derived from it.
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

// addTurn adds a turn and limits the size of the older turns, as ledger.appendCall does for tool calls.
func (h *history) addTurn(t sdk.Turn) {
	if n := len(h.turns); n > 0 {
		h.turnSize += limit.TurnSize(h.turns[n-1])
	}
	h.turns = append(h.turns, t)
	if h.turnSize > limit.Turns || len(h.turns) > limit.Entries {
		h.turns, h.turnSize = limit.TrimTurns(h.turns, limit.Turns/2)
	}
}

// estimate returns the tokens of all entries. Only the entries added since the last call are counted.
func (h *history) estimate() int {
	for ; h.counted < len(h.entries); h.counted++ {
		e := &h.entries[h.counted]
		e.tokens = estimate(e.Message)
		h.tokens += e.tokens
	}
	return h.tokens
}

// waiting returns the messages that are sent once, or nil if there are none.
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

// eject removes entries that are sent once from the first n entries. With chatOnly, it removes only those that BeforeChat
// added.
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

// reset replaces all entries. Slices that callers hold of the old entries do not change.
func (h *history) reset(entries []entry) {
	*h = history{ids: h.ids, entries: make([]entry, 0, len(entries)+1), turns: []sdk.Turn{}}
	for _, e := range entries {
		h.add(e)
	}
}

// messages returns the system prompt, if it is not empty, followed by the history. The caller must not change the messages:
// requests share their common beginning, so that a turn does not copy the whole history.
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

// shareAhead is how many additional messages a new shared slice has capacity for.
const shareAhead = 64

// cut returns the index at which the last keep entries begin, not counting those with eject set. The index is lower if
// necessary to keep a tool call together with its results.
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

// unsign removes the signatures of one service, because another service would reject them.
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

// identify returns the calls with identifiers that no earlier call of the session has, so that each result belongs to one call.
func (h *history) identify(calls []llm.ToolCall) []llm.ToolCall {
	out := slices.Clone(calls)
	for i := range out {
		base := cmp.Or(out[i].ID, "call")
		for h.reservedID(out[i].ID) {
			h.ids[base]++
			out[i].ID = fmt.Sprintf("%s_%d", base, h.ids[base])
		}
		h.reserveID(out[i].ID)
	}
	return out
}

func (h *history) reservedID(id string) bool {
	_, ok := h.ids[id]
	return ok || id == ""
}

// reserveID makes sure that no other call gets the identifier.
func (h *history) reserveID(id string) {
	if !h.reservedID(id) {
		h.ids[id] = 0
	}
}

// compactable reports whether the entries before the last keep contain more than an earlier summary.
func (h *history) compactable(keep int) bool {
	for _, e := range h.entries[:h.cut(keep)] {
		if !e.summary && !e.eject {
			return true
		}
	}
	return false
}

// prompt returns the index of the user's last prompt, or -1.
func (h *history) prompt() int {
	for i, e := range slices.Backward(h.entries) {
		if e.Role == llm.RoleUser && !e.Synthetic {
			return i
		}
	}
	return -1
}

// strip removes the files of all messages after the model's last answer. It returns how many messages the journal has before
// the first changed one, the messages from there on, and whether it changed any.
func (h *history) strip() (kept int, rest []llm.Message, changed bool) {
	from := 0
	for i, e := range h.entries {
		if e.Role == llm.RoleAssistant && !e.Synthetic {
			from = i + 1
		}
	}
	entries := slices.Clone(h.entries)
	for i := range entries {
		e := &entries[i]
		if i >= from && len(e.Parts) > 0 {
			e.Parts, changed = nil, true
		}
		switch {
		case e.eject:
		case changed:
			rest = append(rest, e.Message)
		default:
			kept++
		}
	}
	if changed {
		h.reset(entries)
	}
	return kept, rest, changed
}
