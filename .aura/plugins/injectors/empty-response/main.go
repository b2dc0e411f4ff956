// Package empty_response deals with answers that hold neither tool calls nor text, or only blanks.
package empty_response

import (
	"context"
	"strings"

	"github.com/idelchi/aura/sdk"
)

// empty counts the empty answers in a row.
var empty int

// AfterResponse keeps an empty answer out of the history, since some providers refuse one in it, and asks again.
func AfterResponse(_ context.Context, hctx sdk.AfterResponseContext) (sdk.Result, error) {
	if hctx.HasToolCalls || strings.TrimSpace(hctx.Response) != "" {
		empty = 0
		return sdk.Result{}, nil
	}
	empty++
	if empty > number(hctx.PluginConfig, "max_retries", 3) {
		empty = 0
		return sdk.Result{Notice: "The model keeps answering with nothing."}, nil
	}
	return sdk.Result{
		Message:  "Your last answer was empty. Go on with the task, or say why you cannot.",
		Role:     sdk.RoleUser,
		Prefix:   "[empty-response] ",
		Eject:    true,
		Response: &sdk.ResponseModification{Skip: true},
	}, nil
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
