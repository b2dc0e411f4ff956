// Package session_stats tells the model how the session is going.
package session_stats

import (
	"context"
	"fmt"
	"strings"

	"github.com/idelchi/aura/sdk"
)

// BeforeChat injects the summary after every interval-th turn. It is sent once and not kept.
func BeforeChat(_ context.Context, hctx sdk.BeforeChatContext) (sdk.Result, error) {
	interval := number(hctx.PluginConfig, "interval", 5)
	if hctx.Stats.Turns == 0 || hctx.Stats.Turns%interval != 0 {
		return sdk.Result{}, nil
	}
	return sdk.Result{
		Message: summary(hctx.Context, number(hctx.PluginConfig, "top", 3)),
		Role:    sdk.RoleUser,
		Prefix:  "[session-stats] ",
		Eject:   true,
	}, nil
}

func summary(c sdk.Context, top int) string {
	parts := []string{
		fmt.Sprintf("turns: %d", c.Stats.Turns),
		fmt.Sprintf("tool calls: %d (%d failed)", c.Stats.ToolCalls, c.Stats.ToolErrors),
		fmt.Sprintf("context: %d of %d tokens (%.0f%%)", c.Tokens.Estimate, c.Tokens.Max, c.Tokens.Percent),
	}
	var tools []string
	for i, tool := range c.Stats.TopTools {
		if i == top {
			break
		}
		tools = append(tools, fmt.Sprintf("%s %d", tool.Name, tool.Count))
	}
	if len(tools) > 0 {
		parts = append(parts, "top tools: "+strings.Join(tools, ", "))
	}
	return strings.Join(parts, " | ")
}

// number reads a whole number from the plugin's configuration. Anything but a positive int counts as not set.
func number(config map[string]any, key string, fallback int) int {
	if v, ok := config[key].(int); ok && v > 0 {
		return v
	}
	return fallback
}
