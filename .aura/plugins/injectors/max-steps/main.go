// Package max_steps makes an interaction that runs into its step limit end with an answer.
package max_steps

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// BeforeChat withholds every tool from a call at or beyond the limit and asks for a summary instead.
func BeforeChat(_ context.Context, hctx sdk.BeforeChatContext) (sdk.Result, error) {
	limit := number(hctx.PluginConfig, "max_steps", hctx.MaxSteps)
	if limit <= 0 || hctx.Iteration < limit {
		return sdk.Result{}, nil
	}
	return sdk.Result{
		Message: fmt.Sprintf(
			"The limit of %d steps is reached and no tool is available. Say what is done, what is left and how to go on.",
			limit),
		Role:         sdk.RoleUser,
		Prefix:       "[max-steps] ",
		Eject:        true,
		DisableTools: []string{"*"},
	}, nil
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
