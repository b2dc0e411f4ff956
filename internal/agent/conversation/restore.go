package conversation

import (
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

const (
	// errorMark is the prefix of the result that a model receives for a failed call. refusedMark is the prefix for a call that
	// did not run.
	errorMark   = "Error: "
	refusedMark = errorMark + "the call did not run: "
)

// SetHistory replaces the history with other messages, such as none, or those of another session. Calls without a result are
// given one. The counts do not change, and the caller is responsible for the journal.
func (c *Conversation) SetHistory(messages []llm.Message) error {
	if err := c.claim(); err != nil {
		return fmt.Errorf("replacing the history: %w", err)
	}
	defer c.release()
	entries, missing := repaired(messages)
	for _, m := range missing {
		entries = append(entries, entry{Message: m})
	}
	c.mu.Lock()
	c.transcript.fill(entries)
	c.shortener.reset()
	c.turn.forget()
	c.mu.Unlock()
	c.keepWaiting()
	return nil
}

// Resume replaces this conversation with another saved one: its messages, what it saved for its next model call and, if they
// are known, its counts and its model usage. Missing results at its end are added to the journal, which must already belong to
// the other conversation.
func (c *Conversation) Resume(messages []llm.Message, waiting Waiting, counted *sdk.Stats, models []ModelUse) error {
	if err := c.claim(); err != nil {
		return fmt.Errorf("resuming a session: %w", err)
	}
	defer c.release()
	entries, missing := repaired(messages)
	c.mu.Lock()
	c.ledger.begin(c.cfg.Now(), counted, models)
	c.transcript.fill(entries)
	c.shortener.reset()
	c.turn.forget()
	c.mu.Unlock()
	for _, m := range missing {
		c.transcript.record(entry{Message: m})
	}
	c.await(waiting)
	c.ledger.recall(messages, counted, c.cfg.Workdir)
	return c.transcript.saved()
}

// restore continues an earlier conversation. Missing results at its end are also added to the journal.
func (c *Conversation) restore(messages []llm.Message) error {
	if len(messages) == 0 {
		return nil
	}
	entries, missing := repaired(messages)
	c.mu.Lock()
	c.transcript.fill(entries)
	c.shortener.reset()
	c.mu.Unlock()
	for _, m := range missing {
		c.transcript.record(entry{Message: m})
	}
	c.ledger.recall(messages, c.cfg.Stats, c.cfg.Workdir)
	if !c.cfg.TodosKnown && len(c.cfg.Todos.Items()) == 0 && c.cfg.Todos != nil {
		c.cfg.Todos.Replay(messages)
	}
	return c.transcript.saved()
}

// repaired returns messages as a history that every model accepts: results follow their calls, each call has a result, and each
// result has a call. The results that are missing at the end are returned separately.
func repaired(messages []llm.Message) (entries []entry, missing []llm.Message) {
	// open holds the calls whose results have not been found yet.
	var open []llm.ToolCall
	resultsOfOpen := func() []llm.Message {
		var out []llm.Message
		for _, call := range open {
			out = append(out, llm.Message{
				Role: llm.RoleTool, ToolCallID: call.ID, ToolName: call.Name, Content: refusedMark + "the session ended before",
			})
		}
		open = nil
		return out
	}
	for _, m := range messages {
		if m.Role == llm.RoleTool {
			i := indexOf(open, m.ToolCallID)
			if i < 0 {
				continue
			}
			open = append(open[:i:i], open[i+1:]...)
		} else {
			for _, late := range resultsOfOpen() {
				entries = append(entries, entry{Message: late})
			}
			open = m.ToolCalls
		}
		if m.Role == llm.RoleSystem {
			continue
		}
		entries = append(entries, entry{
			Message: m, summary: m.Synthetic && m.Role == llm.RoleUser && strings.HasPrefix(m.Content, summaryHead),
		})
	}
	return entries, resultsOfOpen()
}

func indexOf(calls []llm.ToolCall, id string) int {
	for i, call := range calls {
		if call.ID == id {
			return i
		}
	}
	return -1
}
