package cli

import (
	"io"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestSpinner checks what the session is waiting for after each event.
func TestSpinner(t *testing.T) {
	t.Parallel()
	w := spinner{screen: terminal.NewScreen(io.Discard, io.Discard, nil)}
	for _, step := range []struct {
		event event.Event
		tail  string
		want  terminal.Activity
	}{
		{event.Notice{Text: "x"}, "", terminal.Activity{}},
		{event.Waiting{For: event.ForPlugins}, "", terminal.Activity{What: "plugins"}},
		{event.Waiting{For: event.ForServers, Name: "s"}, "", terminal.Activity{What: "mcp", Name: "s"}},
		{event.Session{}, "", terminal.Activity{}},
		{event.PluginState{Plugin: "p", State: "ready"}, "", terminal.Activity{}}, // plugins dev shows it while the user types
		{event.Message{Role: "user"}, "", terminal.Activity{What: "hooks"}},
		{event.Request{}, "", terminal.Activity{What: "model"}},
		{event.Delta{Text: "12345"}, "12345", terminal.Activity{What: "model", Tokens: 2, Tail: "12345"}},
		{event.Delta{Thinking: "123"}, "", terminal.Activity{What: "model", Tokens: 2}},
		{event.Message{Role: "assistant"}, "", terminal.Activity{What: "hooks"}},
		{event.ToolCall{ID: "1", Name: "A"}, "", terminal.Activity{What: "tool", Name: "A"}},
		{event.ToolCall{ID: "2", Name: "B"}, "", terminal.Activity{What: "tool", Name: "A"}},
		{event.Progress{ID: "1"}, "", terminal.Activity{What: "tool", Name: "A"}},
		{event.ToolResult{ID: "1"}, "", terminal.Activity{What: "tool", Name: "B"}},
		{event.ToolResult{ID: "2"}, "", terminal.Activity{What: "hooks"}},
		{event.Waiting{For: event.ForCompaction}, "", terminal.Activity{What: "compaction"}},
		{event.Compaction{}, "", terminal.Activity{What: "hooks"}},
		{event.Request{}, "", terminal.Activity{What: "model"}},
		{event.Delta{Text: "1"}, "", terminal.Activity{What: "model", Tokens: 1}},
		{event.Done{}, "", terminal.Activity{}},
		{event.Notice{Text: "late"}, "", terminal.Activity{}},
	} {
		if w.after(step.event, step.tail); w.now != step.want {
			t.Errorf("after %T: got %+v, want %+v", step.event, w.now, step.want)
		}
	}
	w.end()
	if w.after(event.Request{}, ""); w.now != (terminal.Activity{}) {
		t.Errorf("after the end: %+v", w.now)
	}
}
