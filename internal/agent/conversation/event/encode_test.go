package event_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
)

// TestEncoderNumbers checks that lines are numbered from 1, without a gap for an event that could not be encoded.
func TestEncoderNumbers(t *testing.T) {
	t.Parallel()
	var n event.Encoder
	before := time.Now().Truncate(time.Millisecond)
	want := 0
	for _, e := range []event.Event{
		event.Delta{Text: "a"}, event.ToolCall{Arguments: json.RawMessage(`{`)}, event.Delta{Text: "b"}, event.Delta{},
	} {
		line, err := n.Next(e)
		if err != nil {
			continue
		}
		want++
		var got event.Stamp
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatal(err)
		}
		if got.Version != event.Version || got.Seq != want {
			t.Errorf("%s: want version %d and number %d", line, event.Version, want)
		}
		if got.Time.Before(before) || got.Time.After(time.Now()) || !strings.Contains(string(line), `Z"`) {
			t.Errorf("%s: it was made between %v and now, in UTC", line, before)
		}
	}
	if want != 3 {
		t.Errorf("%d lines were made, want 3", want)
	}
}
