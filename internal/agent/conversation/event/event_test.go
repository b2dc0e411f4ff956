package event_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/sdk"
)

// stamp is the stamp of a line in another time zone. stamped is its encoding.
var stamp = event.Stamp{Version: 1, Seq: 7, Time: time.Date(2026, 3, 1, 10, 30, 0, 5_900_000, time.FixedZone("", 3600))}

const stamped = `"v":1,"seq":7,"time":"2026-03-01T09:30:00.005Z"`

func TestEncode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   event.Event
		want string
	}{
		{event.Session{ID: "s", Provider: "script", Model: "m", Workdir: "w", Tools: []string{"Bash"}}, `{"type":"session",` + stamped + `,"id":"s","provider":"script","model":"m","workdir":"w","tools":["Bash"]}`},
		{event.Request{Number: 2, Iteration: 1, Messages: 3}, `{"type":"request",` + stamped + `,"number":2,"iteration":1,"messages":3,"tools":0}`},
		{event.Delta{}, `{"type":"delta",` + stamped + `}`},
		{event.Delta{Text: "a\nb"}, `{"type":"delta",` + stamped + `,"text":"a\nb"}`},
		{event.Message{Role: "assistant", Content: "hi", ToolCalls: 1}, `{"type":"message",` + stamped + `,"role":"assistant","content":"hi","tool_calls":1}`},
		{event.Injection{Plugin: "p", Point: "BeforeChat", Role: "user", Content: "x", Eject: true}, `{"type":"injection",` + stamped + `,"plugin":"p","point":"BeforeChat","role":"user","content":"x","eject":true}`},
		{event.ToolCall{ID: "1", Name: "Ls", Arguments: json.RawMessage(`{"path":"."}`)}, `{"type":"tool_call",` + stamped + `,"id":"1","name":"Ls","arguments":{"path":"."}}`},
		{event.ToolResult{ID: "1", Name: "Ls", Content: "a", Ran: true, Duration: time.Millisecond}, `{"type":"tool_result",` + stamped + `,"id":"1","name":"Ls","content":"a","ran":true,"duration_ns":1000000}`},
		{event.Notice{Plugin: "p", Text: "x"}, `{"type":"notice",` + stamped + `,"plugin":"p","text":"x"}`},
		{event.PluginError{Plugin: "p", Point: "OnError", Error: "x"}, `{"type":"plugin_error",` + stamped + `,"plugin":"p","point":"OnError","error":"x"}`},
		{event.PluginChange{Plugin: "p", Point: "AfterResponse"}, `{"type":"plugin_change",` + stamped + `,"plugin":"p","point":"AfterResponse"}`},
		{event.Message{Role: "user", Content: "go on", Auto: true}, `{"type":"message",` + stamped + `,"role":"user","content":"go on","auto":true}`},
		{
			event.Compaction{Trigger: event.TriggerForced, PreMessages: 3, PostMessages: 3, Error: "x"},
			`{"type":"compaction",` + stamped + `,"trigger":"forced","success":false,"pre_messages":3,"post_messages":3,"tokens_before":0,"tokens_after":0,"summary_length":0,"error":"x"}`,
		},
		{event.AgentSwitch{Previous: "a", Agent: "b", Reason: "user"}, `{"type":"agent_switch",` + stamped + `,"previous":"a","agent":"b","provider":"","model":"","reason":"user"}`},
		{event.Error{Message: "x", Class: "auth"}, `{"type":"error",` + stamped + `,"message":"x","class":"auth","retryable":false}`},
		{
			event.Finished(sdk.Stats{Turns: 3, ToolCalls: 2, TopTools: []sdk.ToolCount{{Name: "Ls", Count: 2}}}, nil),
			`{"type":"done",` + stamped + `,"stats":{"start_time":"0001-01-01T00:00:00Z","duration_ns":0,"interactions":0,"turns":3,"iterations":0,` +
				`"tool_calls":2,"tool_errors":0,"parse_retries":0,"compactions":0,"tokens_in":0,"tokens_out":0},"tool_counts":{"Ls":2}}`,
		},
	}
	for _, tt := range tests {
		got, err := event.Encode(tt.in, stamp)
		if err != nil {
			t.Error(err)
		}
		if string(got) != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if !json.Valid(got) || bytes.ContainsRune(got, '\n') {
			t.Errorf("%s is not one line of JSON", got)
		}
	}
	if _, err := event.Encode(event.ToolCall{Arguments: json.RawMessage(`{`)}, stamp); err == nil {
		t.Error("arguments that are not JSON were encoded")
	}
}
