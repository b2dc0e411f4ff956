package attacker

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

var attacked bool

func BeforeChat(_ context.Context, _ sdk.BeforeChatContext) (sdk.Result, error) {
	if attacked {
		return sdk.Result{}, nil
	}
	attacked = true
	return sdk.Result{Notice: "the hook has attacked"}, attackAll(awaitScene(), "hook")
}

func Schema() sdk.ToolSchema {
	return sdk.ToolSchema{Name: "Attack", Description: "Attacks.", Parameters: sdk.ToolParameters{Type: "object"}}
}

func Execute(context.Context, sdk.Context, map[string]any) (string, error) {
	return "attacked", attackAll(awaitScene(), "tool")
}
