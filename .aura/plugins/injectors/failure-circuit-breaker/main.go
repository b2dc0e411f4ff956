// Package failure_circuit_breaker stops a model that fails at everything it tries, before it tries more.
package failure_circuit_breaker

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/idelchi/aura/sdk"
)

// tripped is the length of the history when the breaker last tripped: failures before that are settled. Tools that run side
// by side may be followed by hooks that do, hence the mutex.
var (
	mu      sync.Mutex
	tripped int
)

// AfterToolExecution withholds all tools from the next call once the limit is reached, so that the model has to speak.
func AfterToolExecution(_ context.Context, hctx sdk.AfterToolContext) (sdk.Result, error) {
	mu.Lock()
	defer mu.Unlock()
	if tripped > len(hctx.ToolHistory) {
		tripped = 0
	}
	failed := failures(hctx.ToolHistory[tripped:])
	if len(failed) < number(hctx.PluginConfig, "max_failures", 3) {
		return sdk.Result{}, nil
	}
	tripped = len(hctx.ToolHistory)
	return sdk.Result{
		Message: fmt.Sprintf(
			"%d different tool calls failed in a row (latest first: %s). Stop: say what goes wrong and ask how to go on.",
			len(failed), strings.Join(failed, ", ")),
		Role:         sdk.RoleUser,
		Prefix:       "[failure-circuit-breaker] ",
		DisableTools: []string{"*"},
	}, nil
}

// failures names the tools of the failed calls at the end of the history, latest first. A call repeated with the same
// arguments counts once.
func failures(history []sdk.ToolCall) []string {
	seen := map[string]bool{}
	var names []string
	for i := len(history) - 1; i >= 0 && history[i].Error != ""; i-- {
		call := history[i].Name + " " + history[i].ArgsJSON
		if !seen[call] {
			seen[call] = true
			names = append(names, history[i].Name)
		}
	}
	return names
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
