// Package loop_detection breaks the loop of a model that repeats itself.
package loop_detection

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/sdk"
)

// AfterToolExecution speaks up once the latest calls have all been the same.
func AfterToolExecution(_ context.Context, hctx sdk.AfterToolContext) (sdk.Result, error) {
	repeats := identical(hctx.ToolHistory)
	if repeats < number(hctx.PluginConfig, "max_repeats", 3) {
		return sdk.Result{}, nil
	}
	return sdk.Result{
		Message: fmt.Sprintf(
			"%s was called %d times in a row with the same arguments. The result will not change: try something else.",
			hctx.ToolName, repeats),
		Role:   sdk.RoleUser,
		Prefix: "[loop-detection] ",
		Eject:  true,
	}, nil
}

// identical counts how many calls at the end of the history equal the last one.
func identical(history []sdk.ToolCall) int {
	n := 0
	for i := len(history) - 1; i >= 0; i-- {
		last := history[len(history)-1]
		if history[i].Name != last.Name || history[i].ArgsJSON != last.ArgsJSON {
			break
		}
		n++
	}
	return n
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
