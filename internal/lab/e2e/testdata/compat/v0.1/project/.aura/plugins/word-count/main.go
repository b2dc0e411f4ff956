package word_count

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/sdk"
)

var total int

func Tools() []sdk.Tool {
	return []sdk.Tool{{
		Name:        "WordCount",
		Description: "Count the words of a text.",
		Parameters: map[string]any{
			"type":       "object",
			"properties": map[string]any{"text": map[string]any{"type": "string", "description": "the text"}},
			"required":   []string{"text"},
		},
		SideEffects: []sdk.SideEffect{sdk.SideEffectNone},
		Execute: func(_ context.Context, c sdk.Context, args map[string]any) (string, error) {
			n := len(strings.Fields(args["text"].(string)))
			total += n
			return fmt.Sprintf("%d %v, %v", n, c.PluginConfig["unit"], c.PluginConfig["tone"]), nil
		},
	}}
}

func Command() sdk.CommandSchema {
	return sdk.CommandSchema{Name: "words", Description: "Tell how many words were counted", Hints: []string{"NOTE"}}
}

func ExecuteCommand(_ context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: fmt.Sprintf("%d so far %s", total, args)}, nil
}

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	text := fmt.Sprintf("Turn %d.", c.Iteration)
	return sdk.Result{Request: &sdk.RequestModification{AppendSystem: &text}}, nil
}

func AfterResponse(_ context.Context, c sdk.AfterResponseContext) (sdk.Result, error) {
	return sdk.Result{Notice: fmt.Sprintf("%d characters", len(c.Response))}, nil
}

func BeforeToolExecution(_ context.Context, c sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	if c.ToolName != "Write" {
		return sdk.BeforeToolResult{}, nil
	}
	return sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "read only"}}, nil
}

func AfterToolExecution(_ context.Context, c sdk.AfterToolContext) (sdk.Result, error) {
	text := c.ToolName + ": " + c.ToolResult
	return sdk.Result{Output: &text}, nil
}
