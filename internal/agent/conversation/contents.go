package conversation

import (
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// messages returns the messages of the history, without those that are sent with one model call only. The caller owns the slice.
func (t *transcript) messages() []llm.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]llm.Message, 0, len(t.history.entries))
	for _, e := range t.history.entries {
		if !e.eject {
			out = append(out, e.Message)
		}
	}
	return out
}

// opening returns the first prompt in the history, if any. It ignores synthetic messages such as a summary.
func (t *transcript) opening() []llm.Message {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.history.entries {
		if e.Role == llm.RoleUser && !e.Synthetic {
			return []llm.Message{e.Message}
		}
	}
	return nil
}

// turns returns what the user and the model wrote, and the number of all messages. The turns are shared with later values and must
// not be changed.
func (t *transcript) turns() (turns []sdk.Turn, messages int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clip(t.history.turns), len(t.history.entries)
}

// length returns the number of all messages.
func (t *transcript) length() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.history.entries)
}

// estimate returns the estimated tokens of all messages.
func (t *transcript) estimate() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.history.estimate()
}

// size returns the size of all messages in bytes.
func (t *transcript) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.history.size
}

// counted returns the estimated tokens of each message.
func (t *transcript) counted() []int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.estimate()
	out := make([]int, 0, len(t.history.entries)+1)
	for _, e := range t.history.entries {
		out = append(out, e.tokens)
	}
	return out
}

// composition returns the estimated tokens of the messages by kind.
func (t *transcript) composition() Composition {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.estimate()
	var out Composition
	for _, e := range t.history.entries {
		switch {
		case e.Synthetic:
			out.Added += e.tokens
		case e.Role == llm.RoleTool:
			out.Results += e.tokens
		case e.Role == llm.RoleAssistant:
			out.Answers += e.tokens
		default:
			out.Prompts += e.tokens
		}
	}
	return out
}

// older returns the entries that a compaction replaces if it keeps the last keep messages. It reports whether they contain more
// than an earlier summary. The caller owns the slice.
func (t *transcript) older(keep int) (entries []entry, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.history.entries[:t.history.cut(keep)]), t.history.compactable(keep)
}

// compactable reports whether a compaction that keeps the last keep messages replaces any.
func (t *transcript) compactable(keep int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.history.compactable(keep)
}

// shorten lowers the number of messages to keep until the history can be compacted. It reports whether that is possible.
func (t *transcript) shorten(keep int) (int, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for ; keep > 0; keep /= 3 {
		if t.history.compactable(keep) {
			return keep, true
		}
	}
	// A summary does not help if a single prompt is too long.
	return keep, t.history.compactable(0) && len(t.history.entries) > 1
}

// unanswered reports whether the last message is one of the user.
func (t *transcript) unanswered() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := len(t.history.entries) - 1
	return last >= 0 && t.history.entries[last].Role == llm.RoleUser
}

// promptParts returns the files of the user's last prompt.
func (t *transcript) promptParts() []llm.Part {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := t.history.prompt()
	if at < 0 {
		return nil
	}
	return t.history.entries[at].Parts
}

// unseenFiles returns the estimated tokens of the files that the model has not seen yet.
func (t *transcript) unseenFiles() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, e := range slices.Backward(t.history.entries) {
		if e.Role == llm.RoleAssistant && !e.Synthetic {
			break
		}
		n += partTokens(e.Parts)
	}
	return n
}
