package app

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/base/redact"
)

// TestHider checks events that contain a secret, as a whole or in pieces.
func TestHider(t *testing.T) {
	t.Parallel()
	const key = "sk-12345678"
	done := event.Done{}
	tests := map[string]struct{ in, want []event.Event }{
		"whole": {
			[]event.Event{
				event.Message{Content: key, Thinking: key, Attachments: []event.Attachment{{Name: key, Size: 1}}},
				event.Injection{Content: key},
				event.Command{Output: key},
				event.Notice{Text: key},
				event.PluginError{Error: key},
				event.Error{Message: key},
				event.Compaction{Error: key},
				event.Progress{Text: key},
				event.ToolCall{Arguments: json.RawMessage(`{"a":"` + key + `"}`)},
				event.ToolResult{Content: key, Note: key, Error: key, Diff: key},
			},
			[]event.Event{
				event.Message{Content: redact.Mark, Thinking: redact.Mark, Attachments: []event.Attachment{{Name: redact.Mark, Size: 1}}},
				event.Injection{Content: redact.Mark},
				event.Command{Output: redact.Mark},
				event.Notice{Text: redact.Mark},
				event.PluginError{Error: redact.Mark},
				event.Error{Message: redact.Mark},
				event.Compaction{Error: redact.Mark},
				event.Progress{Text: redact.Mark},
				event.ToolCall{Arguments: json.RawMessage(`{"a":"[redacted]"}`)},
				event.ToolResult{Content: redact.Mark, Note: redact.Mark, Error: redact.Mark, Diff: redact.Mark},
			},
		},
		"text in pieces": {
			[]event.Event{event.Delta{Text: "is sk-1234"}, event.Notice{Text: "meanwhile"}, event.Delta{Text: "5678."}, done},
			[]event.Event{event.Delta{Text: "is "}, event.Notice{Text: "meanwhile"}, event.Delta{Text: "[redacted]."}, done},
		},
		"held to the end": {
			[]event.Event{event.Delta{Text: "ask"}, event.Delta{Text: "-"}, event.Message{Content: "ask-"}},
			[]event.Event{event.Delta{Text: "a"}, event.Delta{Text: "sk-"}, event.Message{Content: "ask-"}},
		},
		"thinking, then text": {
			[]event.Event{event.Delta{Thinking: "sk-"}, event.Delta{Text: "1234s"}, event.Delta{Thinking: "x"}},
			[]event.Event{event.Delta{Thinking: "sk-"}, event.Delta{Text: "1234"}, event.Delta{Text: "s"}, event.Delta{Thinking: "x"}},
		},
		"two tools": {
			[]event.Event{
				event.Progress{ID: "1", Text: "sk-1234"},
				event.Progress{ID: "2", Text: "sk-"},
				event.Progress{ID: "1", Text: "5678\n"},
				event.ToolResult{ID: "2", Name: "B"},
				event.ToolResult{ID: "1", Name: "A"},
			},
			[]event.Event{
				event.Progress{ID: "1", Text: "[redacted]\n"},
				event.Progress{ID: "2", Tool: "B", Text: "sk-"},
				event.ToolResult{ID: "2", Name: "B"},
				event.ToolResult{ID: "1", Name: "A"},
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			secrets := &redact.Current{}
			var got []event.Event
			e := events{emit: func(ev event.Event) { got = append(got, ev) }, hide: newHider(secrets)}
			for _, ev := range tt.in {
				e.send(ev)
			}
			// Without secrets, events pass unchanged.
			if !reflect.DeepEqual(got, tt.in) {
				t.Errorf("without secrets: %+v", got)
			}
			secrets.Set(redact.New(key))
			got = nil
			for _, ev := range tt.in {
				e.send(ev)
			}
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got\n%+v\nwant\n%+v", got, tt.want)
			}
		})
	}
}
