// Package turn_tracker shows the model where it stands.
package turn_tracker

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// BeforeChat injects the status line after every interval-th turn. It is sent once and not kept.
func BeforeChat(_ context.Context, hctx sdk.BeforeChatContext) (sdk.Result, error) {
	interval := number(hctx.PluginConfig, "interval", 3)
	if hctx.Stats.Turns == 0 || hctx.Stats.Turns%interval != 0 {
		return sdk.Result{}, nil
	}
	return sdk.Result{
		Message: fmt.Sprintf("turn %d, %d messages, %d of %d tokens in context (%.1f%%), agent %s on %s",
			hctx.Stats.Turns, hctx.MessageCount, hctx.Tokens.Estimate, hctx.Tokens.Max, hctx.Tokens.Percent,
			hctx.Agent, hctx.ModelInfo.Name),
		Role:   sdk.RoleUser,
		Prefix: "[turn-tracker] ",
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
