package tui

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/ui/terminal"
)

// TestShow compares what is printed after events, and what is waited for afterwards.
func TestShow(t *testing.T) {
	t.Parallel()
	took := regexp.MustCompile(`for [0-9.]+ m?s`)
	call := event.ToolCall{ID: "1", Name: "Bash", Arguments: json.RawMessage(`{"command":"ls"}`)}
	for name, row := range map[string]struct {
		verbose bool
		events  []event.Event
		printed string
		awaited terminal.Activity
	}{
		"a request waits for the model":          {events: []event.Event{event.Request{}}, awaited: terminal.Activity{What: "model"}},
		"an unfinished block is not printed":     {events: []event.Event{event.Delta{Text: "abc"}}, awaited: terminal.Activity{Tokens: 1}},
		"an answer follows a blank line":         {events: []event.Event{event.Delta{Text: "abc"}, event.Done{}}, printed: "\nabc\n"},
		"thinking is folded":                     {events: []event.Event{event.Delta{Thinking: "abcde"}, event.Done{}}, printed: "\n∴ thought for a while, ~2 tokens\n"},
		"thinking is shown":                      {verbose: true, events: []event.Event{event.Delta{Thinking: "abcde"}, event.Done{}}, printed: "\nabcde\n"},
		"a call is awaited":                      {events: []event.Event{call}, awaited: terminal.Activity{What: "tool", Name: "Bash"}},
		"a result has the content":               {events: []event.Event{call, event.ToolResult{ID: "1", Content: "out"}}, printed: "\n● Bash ls\n  │ out\n", awaited: terminal.Activity{What: "hooks"}},
		"output is not shown twice":              {events: []event.Event{call, event.Progress{ID: "1", Text: "out\n"}, event.ToolResult{ID: "1", Content: "out"}}, printed: "\n● Bash ls\n  │ out\n", awaited: terminal.Activity{What: "hooks"}},
		"a call that did not end":                {events: []event.Event{call, event.Done{}}, printed: "● Bash ls (interrupted)\n"},
		"output of a call of another turn":       {events: []event.Event{call, event.Progress{ID: "1", Text: "old\n"}, event.Done{}, call, event.ToolResult{ID: "1", Content: "new"}}, printed: "● Bash ls (interrupted)\n\n● Bash ls\n  │ new\n", awaited: terminal.Activity{What: "hooks"}},
		"the request of a compaction is its own": {events: []event.Event{event.Waiting{For: event.ForCompaction}, event.Request{}}, awaited: terminal.Activity{What: "compaction"}},
		"the end waits for nothing":              {events: []event.Event{event.Request{}, event.Done{}}},
	} {
		s := newShow(&terminal.Look{}, false)
		s.stopWaiting()
		s.verbose = row.verbose
		var printed strings.Builder
		for _, e := range row.events {
			printed.WriteString(string(s.event(e)))
		}
		if got := took.ReplaceAllString(printed.String(), "for a while"); got != row.printed || s.activity != row.awaited {
			t.Errorf("%s: printed %q, awaits %+v", name, got, s.activity)
		}
	}
}
