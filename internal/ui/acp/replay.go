package acp

import (
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// replay shows the messages of a saved session. It comes before everything else of the session.
func (f *front) replay(history []llm.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	later := f.held
	f.held = nil
	for _, m := range history {
		f.recall(m)
	}
	f.endOpenCalls()
	f.held = later
}

func (f *front) recall(m llm.Message) {
	switch {
	case m.Role == llm.RoleUser && m.Synthetic:
		f.labelled("injection", "", m.Content)
	case m.Role == llm.RoleUser:
		f.chunk(userChunk, plaintext.Show(m.Content), nil)
		f.message++
	case m.Role == llm.RoleAssistant:
		f.finished(event.Message{Role: string(m.Role), Content: m.Content, Thinking: m.Thinking})
		for _, c := range m.ToolCalls {
			f.called(event.ToolCall{ID: c.ID, Name: c.Name, Arguments: c.Arguments})
		}
	case m.Role == llm.RoleTool:
		f.result(event.ToolResult{ID: m.ToolCallID, Name: m.ToolName, Content: m.Content, Ran: true})
	}
}
