package shout

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{
		Name:        "Shout",
		Description: "Make a text loud.",
		Parameters: sdk.ToolParameters{
			Type:       "object",
			Properties: map[string]sdk.ToolProperty{"text": {Type: "string", Description: "the text"}},
			Required:   []string{"text"},
		},
	}
}

func Execute(_ context.Context, _ sdk.Context, args map[string]any) (string, error) {
	return strings.ToUpper(args["text"].(string)), nil
}

func BeforeChat(_ context.Context, c sdk.BeforeChatContext) (sdk.Result, error) {
	return sdk.Result{Message: "Shout if needed."}, nil
}
