package pipeline_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

func TestDescribeEffect(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	args := map[string]any{"path": "a"}
	now := time.Now()
	messages := []sdk.Message{{Role: "user", Content: "a", Tokens: 3, CreatedAt: now}}
	for rule, tt := range map[string]struct {
		point      hookpoint.Name
		in, result any
		want       pipeline.Effect
	}{
		"no result":         {hookpoint.BeforeChat, sdk.BeforeChatContext{}, nil, pipeline.Effect{}},
		"an empty result":   {hookpoint.BeforeChat, sdk.BeforeChatContext{}, sdk.Result{}, pipeline.Effect{}},
		"a notice":          {hookpoint.BeforeChat, sdk.BeforeChatContext{}, sdk.Result{Notice: "n", Message: "m"}, pipeline.Effect{}},
		"a message":         {hookpoint.BeforeChat, sdk.BeforeChatContext{}, sdk.Result{Message: "m"}, pipeline.Effect{Injected: true}},
		"a read-only point": {hookpoint.OnAgentSwitch, sdk.OnAgentSwitchContext{}, sdk.Result{Message: "m", DisableTools: []string{"*"}}, pipeline.Effect{}},
		"a message and more": {
			hookpoint.BeforeChat,
			sdk.BeforeChatContext{},
			sdk.Result{Message: "m", DisableTools: []string{"*"}, Request: &sdk.RequestModification{AppendSystem: text("s"), Skip: true}},
			pipeline.Effect{Injected: true, Fields: []string{"disable_tools", "request.append_system", "request.skip"}},
		},
		"what the point does not know": {
			hookpoint.BeforeChat, sdk.BeforeChatContext{}, sdk.Result{Output: text("o"), Error: &sdk.ErrorModification{Retry: true}}, pipeline.Effect{},
		},
		"blocked, with a message": {
			hookpoint.BeforeToolExecution,
			sdk.BeforeToolContext{Arguments: args},
			sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "m"}},
			pipeline.Effect{Blocked: true},
		},
		"other arguments": {
			hookpoint.BeforeToolExecution,
			sdk.BeforeToolContext{Arguments: args},
			sdk.BeforeToolResult{Arguments: map[string]any{"path": "b"}},
			pipeline.Effect{Fields: []string{"arguments"}},
		},
		"the same arguments": {
			hookpoint.BeforeToolExecution,
			sdk.BeforeToolContext{Arguments: args},
			sdk.BeforeToolResult{Arguments: map[string]any{"path": "a"}},
			pipeline.Effect{},
		},
		"another output": {
			hookpoint.AfterToolExecution, sdk.AfterToolContext{ToolResult: "a"}, sdk.Result{Output: text("")}, pipeline.Effect{Fields: []string{"output"}},
		},
		"the same output": {hookpoint.AfterToolExecution, sdk.AfterToolContext{ToolResult: "a"}, sdk.Result{Output: text("a")}, pipeline.Effect{}},
		"another answer": {
			hookpoint.AfterResponse,
			sdk.AfterResponseContext{Response: "a"},
			sdk.Result{Response: &sdk.ResponseModification{Content: text("b")}},
			pipeline.Effect{Fields: []string{"response.content"}},
		},
		"an answer left out": {
			hookpoint.AfterResponse,
			sdk.AfterResponseContext{Response: "a"},
			sdk.Result{Response: &sdk.ResponseModification{Content: text("b"), Skip: true}},
			pipeline.Effect{Fields: []string{"response.skip"}},
		},
		"a retry": {
			hookpoint.OnError, sdk.OnErrorContext{}, sdk.Result{Error: &sdk.ErrorModification{Retry: true}}, pipeline.Effect{Fields: []string{"error.retry"}},
		},
		"an error left out": {
			hookpoint.OnError, sdk.OnErrorContext{}, sdk.Result{Error: &sdk.ErrorModification{Skip: true}}, pipeline.Effect{Fields: []string{"error.skip"}},
		},
		"no compaction": {
			hookpoint.BeforeCompaction,
			sdk.BeforeCompactionContext{},
			sdk.Result{Compaction: &sdk.CompactionModification{Skip: true}},
			pipeline.Effect{Fields: []string{"compaction.skip"}},
		},
		"other messages": {
			hookpoint.TransformMessages,
			sdk.TransformContext{Messages: messages},
			[]sdk.Message{{Role: "user", Content: "b"}},
			pipeline.Effect{Fields: []string{"messages"}},
		},
		"the same messages, not counted": {
			hookpoint.TransformMessages,
			sdk.TransformContext{Messages: messages},
			[]sdk.Message{{Role: "user", Content: "a", CreatedAt: now.UTC().Round(0)}},
			pipeline.Effect{},
		},
		"an unknown point": {"Nowhere", nil, sdk.Result{Message: "m"}, pipeline.Effect{}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			got, _, err := pipeline.Describe(tt.point, tt.in, tt.result)
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
		})
	}
	if messages[0].Tokens != 3 || args["path"] != "a" {
		t.Error("the input was changed")
	}
}

// TestDescribeDropped checks that a result that the pipeline drops is an error and has no effect.
func TestDescribeDropped(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		point      hookpoint.Name
		in, result any
	}{
		"no messages left": {hookpoint.TransformMessages, sdk.TransformContext{Messages: []sdk.Message{{Role: "user"}}}, []sdk.Message{}},
		"another type":     {hookpoint.BeforeChat, sdk.BeforeChatContext{}, sdk.BeforeToolResult{Block: true}},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			got, _, err := pipeline.Describe(tt.point, tt.in, tt.result)
			if err == nil || !reflect.DeepEqual(got, pipeline.Effect{}) {
				t.Errorf("got %+v, %v, want an error", got, err)
			}
		})
	}
}
