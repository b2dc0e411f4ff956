// Package todo_reminder keeps the todo list in the model's mind during long work.
package todo_reminder

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// BeforeChat injects a reminder at every interval-th turn while a todo is open. The reminder is sent once and not kept.
func BeforeChat(_ context.Context, hctx sdk.BeforeChatContext) (sdk.Result, error) {
	open := hctx.TodoPending + hctx.TodoInProgress
	interval := number(hctx.PluginConfig, "interval", 20)
	if open == 0 || hctx.Iteration == 0 || hctx.Iteration%interval != 0 {
		return sdk.Result{}, nil
	}
	return sdk.Result{
		Message: fmt.Sprintf(
			"%d of %d todos are open (%d pending, %d in progress). Update the list, then go on with the next item.",
			open, hctx.TodoTotal, hctx.TodoPending, hctx.TodoInProgress),
		Role:   sdk.RoleUser,
		Prefix: "[todo-reminder] ",
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
