package event_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/sdk"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   event.Event
		want string
	}{
		{event.Session{ID: "s", Provider: "script", Model: "m", Workdir: "w", Tools: []string{"Bash"}}, `{"type":"session","id":"s","provider":"script","model":"m","workdir":"w","tools":["Bash"]}`},
		{event.Request{Number: 2, Iteration: 1, Messages: 3}, `{"type":"request","number":2,"iteration":1,"messages":3,"tools":0}`},
		{event.Delta{}, `{"type":"delta"}`},
		{event.Delta{Text: "a\nb"}, `{"type":"delta","text":"a\nb"}`},
		{event.Message{Role: "assistant", Content: "hi", ToolCalls: 1}, `{"type":"message","role":"assistant","content":"hi","tool_calls":1}`},
		{event.Injection{Plugin: "p", Point: "BeforeChat", Role: "user", Content: "x", Eject: true}, `{"type":"injection","plugin":"p","point":"BeforeChat","role":"user","content":"x","eject":true}`},
		{event.ToolCall{ID: "1", Name: "Ls", Arguments: json.RawMessage(`{"path":"."}`)}, `{"type":"tool_call","id":"1","name":"Ls","arguments":{"path":"."}}`},
		{event.ToolResult{ID: "1", Name: "Ls", Content: "a", Ran: true, Duration: time.Millisecond}, `{"type":"tool_result","id":"1","name":"Ls","content":"a","ran":true,"duration_ns":1000000}`},
		{event.Notice{Plugin: "p", Text: "x"}, `{"type":"notice","plugin":"p","text":"x"}`},
		{event.PluginError{Plugin: "p", Point: "OnError", Error: "x"}, `{"type":"plugin_error","plugin":"p","point":"OnError","error":"x"}`},
		{event.PluginChange{Plugin: "p", Point: "AfterResponse"}, `{"type":"plugin_change","plugin":"p","point":"AfterResponse"}`},
		{event.Message{Role: "user", Content: "go on", Auto: true}, `{"type":"message","role":"user","content":"go on","auto":true}`},
		{
			event.Compaction{Trigger: event.TriggerForced, PreMessages: 3, PostMessages: 3, Error: "x"},
			`{"type":"compaction","trigger":"forced","success":false,"pre_messages":3,"post_messages":3,"tokens_before":0,"tokens_after":0,"summary_length":0,"error":"x"}`,
		},
		{event.AgentSwitch{Previous: "a", Agent: "b", Reason: "user"}, `{"type":"agent_switch","previous":"a","agent":"b","provider":"","model":"","reason":"user"}`},
		{event.Error{Message: "x", Class: "auth"}, `{"type":"error","message":"x","class":"auth","retryable":false}`},
		{
			event.Finished(sdk.Stats{Turns: 3, ToolCalls: 2, TopTools: []sdk.ToolCount{{Name: "Ls", Count: 2}}}),
			`{"type":"done","stats":{"start_time":"0001-01-01T00:00:00Z","duration_ns":0,"interactions":0,"turns":3,"iterations":0,` +
				`"tool_calls":2,"tool_errors":0,"parse_retries":0,"compactions":0,"tokens_in":0,"tokens_out":0},"tool_counts":{"Ls":2}}`,
		},
	}
	for _, tt := range tests {
		got, err := event.Encode(tt.in)
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
	if _, err := event.Encode(event.ToolCall{Arguments: json.RawMessage(`{`)}); err == nil {
		t.Error("arguments that are not JSON were encoded")
	}
}
