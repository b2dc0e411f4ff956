package pipeline_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// TestRunBoundsTexts sets every text that a plugin may return to one byte more than its limit, and then to exactly its limit.
func TestRunBoundsTexts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		point hookpoint.Name
		in    any
		size  int
		make  func(text string) any
		got   func(pipeline.Outcome) string
		mark  string
	}{
		"notice": {
			hookpoint.BeforeChat,
			sdk.BeforeChatContext{},
			limit.Notice,
			func(text string) any { return sdk.Result{Notice: text} },
			func(o pipeline.Outcome) string { return o.Notices[0].Text }, "a notice has at most 16 KiB]",
		},
		"message": {
			hookpoint.BeforeChat,
			sdk.BeforeChatContext{},
			limit.Injection,
			func(text string) any { return sdk.Result{Message: text} },
			func(o pipeline.Outcome) string { return o.Injections[0].Content }, "a plugin's message has at most 1 MiB]",
		},
		"system prompt": {
			hookpoint.BeforeChat,
			sdk.BeforeChatContext{},
			limit.Injection,
			func(text string) any { return sdk.Result{Request: &sdk.RequestModification{AppendSystem: &text}} },
			func(o pipeline.Outcome) string { return *o.Request.AppendSystem }, "has at most 1 MiB]",
		},
		"response": {
			hookpoint.AfterResponse,
			sdk.AfterResponseContext{},
			limit.Answer,
			func(text string) any { return sdk.Result{Response: &sdk.ResponseModification{Content: &text}} },
			func(o pipeline.Outcome) string { return *o.Response.Content }, "an answer has at most 8 MiB]",
		},
		"output": {
			hookpoint.AfterToolExecution,
			sdk.AfterToolContext{},
			limit.Result,
			func(text string) any { return sdk.Result{Output: &text} },
			func(o pipeline.Outcome) string { return *o.Output }, "a tool result has at most 16 MiB]",
		},
		"reason to block": {
			hookpoint.BeforeToolExecution,
			sdk.BeforeToolContext{},
			limit.Injection,
			func(text string) any { return sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: text}} },
			func(o pipeline.Outcome) string { return o.Block.Message }, "has at most 1 MiB]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := func(text string) string {
				return tt.got(pipeline.Run(t.Context(), source{says("a", tt.make(text), nil)}, tt.point, tt.in, nil))
			}
			text := strings.Repeat("x", tt.size)
			if got := run(text); got != text {
				t.Errorf("%d bytes became %d", len(text), len(got))
			}
			if got := run(text + "x"); len(got) > tt.size || !strings.HasSuffix(got, tt.mark) {
				t.Errorf("%d bytes became %d, which end in %q", len(text)+1, len(got), got[max(0, len(got)-80):])
			}
		})
	}
}
