// Package conformance is the plugin of the conformance test of guests.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func init() {
	sdk.On("conformance:ping", func(_ context.Context, e sdk.Event) error {
		return sdk.Emit("conformance:pong", e.Payload)
	})
}

func SystemPrompt() string { return "This is a conformance test." }

func BeforeToolExecution(_ context.Context, c sdk.BeforeToolContext) (sdk.BeforeToolResult, error) {
	if c.ToolName != "forbidden" {
		return sdk.BeforeToolResult{}, nil
	}
	return sdk.BeforeToolResult{Block: true, Result: sdk.Result{Message: "no"}}, nil
}

func UserMessage(_ context.Context, c sdk.UserMessageContext) (sdk.UserMessageResult, error) {
	text := strings.ToUpper(c.Content)
	return sdk.UserMessageResult{Content: &text}, nil
}

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "shout"} }

func ExecuteCommand(_ context.Context, args string, _ sdk.Context) (sdk.CommandResult, error) {
	return sdk.CommandResult{Output: strings.ToUpper(args)}, nil
}

func Tools() []sdk.Tool {
	tools := map[string]func(context.Context, map[string]any) (string, error){
		"emit": func(_ context.Context, args map[string]any) (string, error) {
			return "", sdk.Emit("conformance:value", args["value"])
		},
		"fail": func(_ context.Context, args map[string]any) (string, error) {
			return "", errors.New(fmt.Sprint(args["message"]))
		},
		"wait": func(ctx context.Context, _ map[string]any) (string, error) {
			<-ctx.Done()
			return "cancelled", nil
		},
		"print": func(_ context.Context, args map[string]any) (string, error) {
			fmt.Println(args["text"])
			return "", nil
		},
		"length": func(_ context.Context, args map[string]any) (string, error) {
			text, _ := args["text"].(string)
			return strconv.Itoa(len(text)), nil
		},
		"env": func(_ context.Context, args map[string]any) (string, error) {
			name, _ := args["name"].(string)
			return os.Getenv(name), nil
		},
	}
	var out []sdk.Tool
	for name, run := range tools {
		out = append(out, sdk.Tool{
			Name: name, Parameters: map[string]any{"type": "object"},
			Execute: func(ctx context.Context, _ sdk.Context, args map[string]any) (string, error) { return run(ctx, args) },
		})
	}
	return out
}
