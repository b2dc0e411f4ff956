package llmtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
)

// RunEndless checks that an endless answer is ended, whichever part of it does not end. One goroutine reads many megabytes.
func (s Suite) RunEndless(t *testing.T) {
	t.Helper()
	text := strings.Repeat("x", 3<<20)
	call := ToolCall{Name: "Read", Arguments: fmt.Sprintf(`{"path":%q}`, text)}
	for name, test := range map[string]struct {
		reply Reply
		says  string
	}{
		"text":          {Reply{Text: text, Fault: FaultEndless}, "limit of 8 MiB for one answer"},
		"calls":         {Reply{ToolCalls: []ToolCall{call}, Fault: FaultEndless}, "limit of 8 MiB for one answer"},
		"line":          {Reply{Fault: FaultLine}, "limit of 8 MiB in one event"},
		"packed line":   {Reply{Fault: FaultLine, Gzip: true}, "limit of 8 MiB in one event"},
		"error":         {Fail(500, strings.Repeat("x", 1<<20)), "500"},
		"in its place":  {Fail(200, `{"error":{"message":"`+strings.Repeat("x", 1<<20)), "something else than a stream"},
		"raw data line": {Reply{Raw: strings.Repeat("data: {}\n", limit.StreamEvent/7)}, "limit of 8 MiB in one event"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.Start(t, test.reply)
			_, err := s.New(server.URL, nil).Chat(t.Context(), s.request(), func(llm.Delta) {})
			failure, ok := errors.AsType[*llm.Error](err)
			if !ok || !strings.Contains(failure.Message, test.says) || len(failure.Message) > 4<<10 {
				t.Errorf("got %.300v, want … %s …", err, test.says)
			}
			if ok && failure.Malformed {
				t.Error("the same call would be made again")
			}
		})
	}
}

// manyCalls checks that calls beyond the limit are dropped and counted.
func (s Suite) manyCalls(t *testing.T) {
	t.Helper()
	reply := Reply{}
	for n := range limit.Calls + 5 {
		reply.ToolCalls = append(reply.ToolCalls, ToolCall{ID: fmt.Sprintf("c%d", n), Name: "Read", Arguments: fmt.Sprintf(`{"path":"%d"}`, n)})
	}
	server := s.Start(t, reply)
	got, err := s.New(server.URL, nil).Chat(t.Context(), s.request(), func(llm.Delta) {})
	if err != nil || got.Dropped != 5 {
		t.Fatalf("%d calls are left out, %v", got.Dropped, err)
	}
	sameCalls(t, got.Message.ToolCalls, reply.ToolCalls[:limit.Calls])
}
