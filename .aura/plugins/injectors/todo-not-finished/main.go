// Package todo_not_finished keeps the model from stopping in the middle of its todo list.
package todo_not_finished

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// The warnings given in the current interaction, so that a model that will not go on is not asked for ever.
var (
	interaction int
	warnings    int
)

// AfterResponse warns after an answer that asks for no tool while a todo is open.
func AfterResponse(_ context.Context, hctx sdk.AfterResponseContext) (sdk.Result, error) {
	if hctx.Stats.Interactions != interaction {
		interaction, warnings = hctx.Stats.Interactions, 0
	}
	open := hctx.TodoPending + hctx.TodoInProgress
	if open == 0 || len(hctx.Calls) > 0 || warnings >= number(hctx.PluginConfig, "max_warnings", 3) {
		return sdk.Result{}, nil
	}
	warnings++
	return sdk.Result{
		Message: fmt.Sprintf(
			"You stopped with %d of %d todos open. Go on with them, or mark those completed that are.", open, hctx.TodoTotal),
		Role:   sdk.RoleUser,
		Prefix: "[todo-not-finished] ",
		Eject:  true,
	}, nil
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
