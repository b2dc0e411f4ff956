package echo

import (
	"context"
	"errors"

	"github.com/idelchi/aura/sdk"
)

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{
		Name: "Echo", Description: "Says what it is told to say.",
		Parameters: sdk.ToolParameters{
			Type: "object",
			Properties: map[string]sdk.ToolProperty{
				"text": {Type: "string", Description: "What to say"},
				"fail": {Type: "boolean", Description: "Say it as an error"},
			},
			Required: []string{"text"},
		},
	}
}

func Execute(_ context.Context, _ sdk.Context, args map[string]any) (string, error) {
	text, _ := args["text"].(string)
	if fail, _ := args["fail"].(bool); fail {
		return "", errors.New(text)
	}
	return text, nil
}
