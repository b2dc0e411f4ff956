package event

import (
	"time"

	"github.com/idelchi/aura/sdk"
)

// Stats is sdk.Stats as JSON spells it. The two convert into each other, so they cannot drift apart.
type Stats struct {
	StartTime    time.Time       `json:"start_time"`
	Duration     time.Duration   `json:"duration_ns"`
	Interactions int             `json:"interactions"`
	Turns        int             `json:"turns"`
	Iterations   int             `json:"iterations"`
	ToolCalls    int             `json:"tool_calls"`
	ToolErrors   int             `json:"tool_errors"`
	ParseRetries int             `json:"parse_retries"`
	Compactions  int             `json:"compactions"`
	TokensIn     int             `json:"tokens_in"`
	TokensOut    int             `json:"tokens_out"`
	TopTools     []sdk.ToolCount `json:"-"`
}

// Finished returns the last event of an interaction.
func Finished(stats sdk.Stats) Done {
	counts := make(map[string]int, len(stats.TopTools))
	for _, t := range stats.TopTools {
		counts[t.Name] = t.Count
	}
	return Done{Stats: Stats(stats), ToolCounts: counts}
}
