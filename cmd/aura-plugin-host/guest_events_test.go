//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

func testUsage(t *testing.T, p *started, e shared.Exports) {
	t.Helper()
	want(t, fmt.Sprint(e.Events), "[session_end before_turn after_turn assistant_message]")
	context := func(turns, in, out int) sdk.Context {
		c := called()
		c.Stats.Turns, c.Stats.TokensIn, c.Stats.TokensOut = turns, in, out
		c.MaxSteps, c.SystemPrompt, c.AvailableTools, c.Tokens.Max = 50, "Be kind.", []string{"Bash", "Ls", "Rg"}, 8192
		return c
	}
	p.hook(t, "SessionStart", sdk.SessionStartContext{Context: context(3, 70, 30)})
	p.hook(t, "TransformMessages", sdk.TransformContext{Context: context(3, 70, 30), Messages: []sdk.Message{{ID: "m1", Role: "user"}}})
	p.hook(t, "AfterResponse", sdk.AfterResponseContext{Context: context(4, 170, 35), Thinking: "hm", Calls: []sdk.ToolCall{{Name: "Bash"}}})
	p.hook(t, "AfterResponse", sdk.AfterResponseContext{Context: context(5, 190, 36), Response: "done"})
	p.hook(t, "SessionEnd", sdk.SessionEndContext{Context: context(5, 190, 36), Reason: "interrupted"})
	for tool, result := range map[string]string{
		"report": "before 4\nafter 4 ['bash'] ['hm'] tool_use 100+5\nafter 5 [] [] end_turn 20+1\nanswer done True\nend cancelled\n{\"acme\": 126}",
		"metas":  "70 100 20",
		"config": "[50, 'Be kind.', 0.0, 0, 8192] ['bash', 'list_directory'] False large acme",
		"dump":   `["events", "metadata", "run_id", "session_id", "state", "step_count", "total_cost", "total_input_tokens", "total_output_tokens", "trace_id"]`,
	} {
		got, err := p.Execute(t.Context(), shared.ToolCall{Tool: tool, Context: context(5, 190, 36)})
		if err != nil || got != result {
			t.Errorf("%s: got  %q, %v\nwant %q", tool, got, err, result)
		}
	}
}

// testRaising checks that a handler that raises takes away nothing of what it and the others changed, and that its failure is that of the call.
func testRaising(t *testing.T, p *started, _ shared.Exports) {
	t.Helper()
	for _, tt := range []struct {
		point   string
		context any
		want    string
	}{
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Bash", Arguments: map[string]any{"command": "ls"}}, `"Arguments":{"command":"set -e; ls; true"}`},
		{"AfterToolExecution", sdk.AfterToolContext{ToolName: "Bash", ToolResult: "a secret"}, `"Output":"A ***"`},
		{"UserMessage", sdk.UserMessageContext{Content: "go"}, `"Content":"go, please!"`},
	} {
		if got := p.hook(t, tt.point, tt.context); !strings.Contains(got, tt.want) || !strings.Contains(got, "error: RuntimeError: broken (habit_raising.py:") {
			t.Errorf("%s: got %s, want %s and the failure", tt.point, got, tt.want)
		}
	}
	want(t, p.hook(t, "BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Ls"}), "error: RuntimeError: broken (habit_raising.py:12)")
	got := p.hook(t, "TransformMessages", sdk.TransformContext{Messages: []sdk.Message{{ID: "m0001", Role: "user", Content: "u"}}})
	if !strings.Contains(got, `"Content":"u"`) || strings.Contains(got, "error:") {
		t.Errorf("got %s, want the message and no failure, which would drop what other plugins made of the messages", got)
	}
}

func testInPlace(t *testing.T, p *started, _ shared.Exports) {
	t.Helper()
	for _, tt := range []struct {
		point   string
		context any
		want    string
	}{
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Bash", Arguments: map[string]any{"command": "ls", "timeout": 5.0}}, `"Arguments":{"command":"set -e; ls","timeout":5.0}`},
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Count", Arguments: map[string]any{"n": 1.0}}, `"Arguments":{"n":2.0}`},
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Ls", Arguments: map[string]any{"path": "x"}}, `"Arguments":null`},
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Patch", Arguments: map[string]any{"patch": "*** Add File: a\n*** Add File: b\n"}}, `"Arguments":{"patch":"*** Add File: a\n*** Add File: b\n# a\n# b\n"}`},
		{"BeforeToolExecution", sdk.BeforeToolContext{ToolName: "Patch", Arguments: map[string]any{"path": "z", "patch": "*** Add File: a\n"}}, `"Arguments":{"patch":"*** Add File: a\n# a\n","path":"z"}`},
		{"AfterToolExecution", sdk.AfterToolContext{ToolName: "Bash", ToolResult: "a secret"}, `"Output":"a *** 3"`},
		{"AfterToolExecution", sdk.AfterToolContext{ToolName: "Bash", ToolResult: "plain"}, `"Output":null`},
		{"UserMessage", sdk.UserMessageContext{Content: "go"}, `"Content":"go, please"`},
	} {
		if got := p.hook(t, tt.point, tt.context); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.point, got, tt.want)
		}
	}
}
