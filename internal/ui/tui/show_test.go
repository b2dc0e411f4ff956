package tui

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

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
		"an answer follows a blank line":         {events: []event.Event{event.Delta{Text: "abc"}, event.Done{}}, printed: "\nabc\n", awaited: hooks},
		"thinking is folded":                     {events: []event.Event{event.Delta{Thinking: "abcde"}, event.Done{}}, printed: "\n∴ thought for a while, ~2 tokens\n", awaited: hooks},
		"thinking is shown":                      {verbose: true, events: []event.Event{event.Delta{Thinking: "abcde"}, event.Done{}}, printed: "\nabcde\n", awaited: hooks},
		"a call is awaited":                      {events: []event.Event{call}, awaited: terminal.Activity{What: "tool", Name: "Bash"}},
		"a result has the content":               {events: []event.Event{call, event.ToolResult{ID: "1", Content: "out"}}, printed: "\n● Bash ls\n  │ out\n", awaited: hooks},
		"output is not shown twice":              {events: []event.Event{call, event.Progress{ID: "1", Text: "out\n"}, event.ToolResult{ID: "1", Content: "out"}}, printed: "\n● Bash ls\n  │ out\n", awaited: hooks},
		"a call that did not end":                {events: []event.Event{call, event.Done{}}, printed: "● Bash ls (interrupted)\n", awaited: hooks},
		"output of a call of another turn":       {events: []event.Event{call, event.Progress{ID: "1", Text: "old\n"}, event.Done{}, call, event.ToolResult{ID: "1", Content: "new"}}, printed: "● Bash ls (interrupted)\n\n● Bash ls\n  │ new\n", awaited: hooks},
		"the request of a compaction is its own": {events: []event.Event{event.Waiting{For: event.ForCompaction}, event.Request{}}, awaited: terminal.Activity{What: "compaction"}},
		"the work ends after the last event":     {events: []event.Event{event.Request{}, event.Done{}}, awaited: hooks},
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

// TestChangesShownOnce checks that the result of a call does not repeat the changes that the user has approved.
func TestChangesShownOnce(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		asked, made string
		shown       bool
	}{
		"approved":      {"+new\n", "+new\n", false},
		"not asked":     {"", "+new\n", true},
		"others made":   {"+new\n", "+other\n", true},
		"nothing made":  {"+new\n", "", false},
		"nothing known": {"", "", false},
	} {
		s := newShow(&terminal.Look{}, false)
		s.shownChanges = row.asked
		result := func() bool {
			return strings.Contains(string(s.event(event.ToolResult{ID: "1", Name: "Write", Diff: row.made})), "+")
		}
		if got := result(); got != row.shown {
			t.Errorf("%s: the changes are shown: %v", name, got)
		}
		if again := result(); again != (row.made != "") {
			t.Errorf("%s: the changes of the next call are shown: %v", name, again)
		}
	}
}

// TestSpinner checks when the spinner is there: late at the beginning of a turn, and then until the turn has ended.
func TestSpinner(t *testing.T) {
	t.Parallel()
	answer := []event.Event{event.Request{}, event.Message{Role: "assistant", Content: "Hello."}}
	for name, row := range map[string]struct {
		events  []event.Event
		after   time.Duration
		change  func(*show)
		spinner bool
	}{
		"not at once":                   {},
		"when hooks take long":          {after: quiet, spinner: true},
		"at once for the model":         {events: answer[:1], spinner: true},
		"still there after an answer":   {events: answer, spinner: true},
		"still there after the last":    {events: append(answer, event.Done{}), spinner: true},
		"gone when the turn has ended":  {events: append(answer, event.Done{}), change: (*show).stopWaiting, after: quiet},
		"not at once in the next turn":  {events: answer, change: (*show).begin},
		"not while a question is asked": {events: answer, change: func(s *show) { s.asking = true }},
	} {
		s := newShow(&terminal.Look{}, false)
		s.begin()
		for _, e := range row.events {
			s.event(e)
		}
		if row.change != nil {
			row.change(s)
		}
		if got := s.spinner(80, s.since.Add(row.after)) != ""; got != row.spinner {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestLiveStatus shows how far a running call is in the live area, the latest report only and with nothing of a terminal in it.
func TestLiveStatus(t *testing.T) {
	t.Parallel()
	s := newShow(&terminal.Look{}, false)
	s.begin()
	s.event(event.ToolCall{ID: "1", Name: "mcp__a__b", Arguments: json.RawMessage(`{}`)})
	for _, text := range []string{"1 of 4 (25%)", "2 of 4 (50%): \x1b[2Jhalf"} {
		s.event(event.Progress{ID: "1", Text: text, Status: true})
	}
	var live strings.Builder
	for _, row := range s.live(80, time.Now()) {
		live.WriteString(string(row.text) + "\n")
	}
	if got := live.String(); !strings.Contains(got, "mcp__a__b  2 of 4 (50%): ") || strings.Contains(got, "25%") || strings.Contains(got, "\x1b[2J") {
		t.Errorf("live: %q", got)
	}
}
