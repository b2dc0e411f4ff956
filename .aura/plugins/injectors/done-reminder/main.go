// Package done_reminder asks for the Done tool, by which a model in done mode says that its work is finished.
package done_reminder

import (
	"context"

	"github.com/idelchi/aura/sdk"
)

// The reminders given in the current interaction, so that a model that never calls Done is not asked for ever.
var (
	interaction int
	reminders   int
)

// AfterResponse reminds after an answer that asks for no tool while done mode is on.
func AfterResponse(_ context.Context, hctx sdk.AfterResponseContext) (sdk.Result, error) {
	if hctx.Stats.Interactions != interaction {
		interaction, reminders = hctx.Stats.Interactions, 0
	}
	if !hctx.DoneActive || len(hctx.Calls) > 0 || reminders >= number(hctx.PluginConfig, "max_reminders", 3) {
		return sdk.Result{}, nil
	}
	reminders++
	return sdk.Result{
		Message: "You stopped without calling the Done tool. If the task is finished, call Done; if not, go on.",
		Role:    sdk.RoleUser,
		Prefix:  "[done-reminder] ",
		Eject:   true,
	}, nil
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
