package foreign_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/foreign"
	"github.com/idelchi/aura/internal/agent/llm"
)

// TestTranscript encodes messages as lines of a transcript of Claude Code.
func TestTranscript(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	for name, row := range map[string]struct {
		m    llm.Message
		want string
	}{
		"a prompt":          {llm.Message{Role: llm.RoleUser, Content: "a < b"}, `"type":"user"|"message":{"role":"user","content":"a < b"}`},
		"an injected text":  {llm.Message{Role: llm.RoleUser, Content: "x", Synthetic: true}, `"isMeta":true`},
		"an answer":         {llm.Message{Role: llm.RoleAssistant, Content: "Done.", Thinking: "hm"}, `"type":"assistant"|"message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Done."}]}`},
		"an empty answer":   {llm.Message{Role: llm.RoleAssistant}, `"content":[{"type":"text","text":""}]`},
		"a call":            {llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "Read", Arguments: json.RawMessage(`{"path":"a.txt"}`)}}}, `"content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"/work/a.txt"}}]`},
		"a malformed call":  {llm.Message{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "c", Name: "Mine", Arguments: json.RawMessage(`{"a`)}}}, `"input":{"malformed":"{\"a"}`},
		"a text and a call": {llm.Message{Role: llm.RoleAssistant, Content: "Now.", ToolCalls: []llm.ToolCall{{ID: "c", Name: "Rg"}}}, `"content":[{"type":"text","text":"Now."},{"type":"tool_use","id":"c","name":"Grep"`},
		"a result":          {llm.Message{Role: llm.RoleTool, Content: "ok", ToolCallID: "c", ToolName: "Read"}, `"type":"user"|"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"ok"}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			row.m.CreatedAt = at
			line, err := foreign.TranscriptLine{Session: "s", Dir: "/work", Number: 2}.Encode(row.m)
			if err != nil || !json.Valid(line) || strings.Count(string(line), "\n") != 1 {
				t.Fatalf("got %q, %v", line, err)
			}
			for want := range strings.SplitSeq(row.want+`|"sessionId":"s"|"cwd":"/work"|"timestamp":"2026-01-02T02:04:05Z"`, "|") {
				if !strings.Contains(string(line), want) {
					t.Errorf("%s is not in %s", want, line)
				}
			}
		})
	}
}

// TestTranscriptChain checks that each line names the one before it.
func TestTranscriptChain(t *testing.T) {
	t.Parallel()
	var before string
	for n := 1; n <= 3; n++ {
		line, err := foreign.TranscriptLine{Session: "s", Number: n}.Encode(llm.Message{Role: llm.RoleUser})
		var got struct {
			ID     string  `json:"uuid"`
			Parent *string `json:"parentUuid"`
		}
		if err != nil || json.Unmarshal(line, &got) != nil {
			t.Fatalf("got %s, %v", line, err)
		}
		if n == 1 && got.Parent != nil || n > 1 && (got.Parent == nil || *got.Parent != before) || got.ID == before || len(got.ID) != 36 {
			t.Errorf("line %d: %s after %q", n, line, before)
		}
		before = got.ID
	}
}
