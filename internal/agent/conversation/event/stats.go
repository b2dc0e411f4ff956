package event

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/idelchi/aura/sdk"
)

// Stats is sdk.Stats with JSON names. The two types convert into each other, so their fields cannot diverge.
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

// saved holds the counts that a session saves.
type saved struct {
	Stats
	ToolCounts map[string]int `json:"tool_counts,omitempty"`
	Models     []ModelUse     `json:"models,omitempty"`
}

// Saved returns counts in the form that a session saves.
func Saved(stats sdk.Stats, models []ModelUse) any {
	return Finished(stats, models).Saved()
}

// Saved returns the counts of an event in the form that a session saves.
func (d Done) Saved() any { return saved{Stats: d.Stats, ToolCounts: d.ToolCounts, Models: d.Models} }

// Recalled returns the counts of an earlier session. kept is the saved value, decoded as generic JSON.
func Recalled(kept any) (*sdk.Stats, []ModelUse, error) {
	if kept == nil {
		return nil, nil, nil
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the saved counts: %w", err)
	}
	var s saved
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, nil, fmt.Errorf("reading the saved counts: %w", err)
	}
	out := sdk.Stats(s.Stats)
	for name, count := range s.ToolCounts {
		out.TopTools = append(out.TopTools, sdk.ToolCount{Name: name, Count: count})
	}
	return &out, s.Models, nil
}

// Finished returns the last event of an interaction.
func Finished(stats sdk.Stats, models []ModelUse) Done {
	counts := make(map[string]int, len(stats.TopTools))
	for _, t := range stats.TopTools {
		counts[t.Name] = t.Count
	}
	return Done{Stats: Stats(stats), ToolCounts: counts, Models: models, CostUSD: TotalCost(stats, models)}
}
