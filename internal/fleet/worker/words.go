package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
)

// maxWords is how much of a text in last words is kept, in bytes.
const maxWords = 2 << 10

// lastWords are what a task said last, and the tool that it called then.
type lastWords struct{ text, call string }

// childEvent is the part of an event of aura that a worker reads.
type childEvent struct {
	Type, Role, Content, Message, Class, Provider, Model, ID, Name string

	Arguments json.RawMessage
	Iteration int
}

// hear takes the next event.
func (l *lastWords) hear(e childEvent) {
	switch {
	case e.Type == "message" && e.Role == "assistant" && strings.TrimSpace(e.Content) != "":
		l.text, l.call = lastPart(e.Content), ""
	case e.Type == "error":
		l.text, l.call = lastPart(e.Message), ""
	case e.Type == "tool_call":
		l.call = lastPart("tool " + e.Name + " " + string(e.Arguments))
	}
}

func (l lastWords) String() string { return strings.TrimSpace(l.text + "\n" + l.call) }

// lastPart returns the end of a text.
func lastPart(text string) string {
	text = strings.TrimSpace(text)
	return strings.ToValidUTF8(text[max(len(text)-maxWords, 0):], "")
}

// words returns last words, or that there are none.
func words(text string) string {
	if text == "" {
		return "none were heard"
	}
	return text
}

// words returns the last words of the task. A worker that dies does not record them, but it sent the events to the log.
func (t *task) words(ctx context.Context) string {
	var logged lastWords
	for line := range bytes.Lines(t.w.Queue.LastEvents(ctx, t.Key())) {
		var e childEvent
		if json.Unmarshal(line, &e) == nil {
			logged.hear(e)
		}
	}
	recorded, last := t.Progress.Words, logged.String()
	if !strings.Contains(recorded, last) {
		recorded = strings.TrimSpace(recorded + "\n" + last)
	}
	return words(recorded)
}
