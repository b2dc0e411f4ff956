package conversation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// ledger counts what has happened in a session.
type ledger struct {
	stats sdk.Stats
	// calls grows at its end only, and nothing in it changes: whoever holds an earlier version shares its beginning.
	calls []sdk.ToolCall
	// runs holds, for each tool, how often it ran.
	runs map[string]int
	// requests counts the calls of models, failed ones too.
	requests int
	// lastInput is the provider's count for the last call.
	lastInput int
}

// answered counts a response.
func (l *ledger) answered(usage llm.Usage) {
	l.stats.Turns++
	l.stats.TokensIn += usage.Input
	l.stats.TokensOut += usage.Output
	l.lastInput = usage.Input
}

// called notes a tool call and, if it ran, counts it.
func (l *ledger) called(call sdk.ToolCall, ran bool) {
	l.calls = append(l.calls, call)
	if !ran {
		return
	}
	if l.runs == nil {
		l.runs = map[string]int{}
	}
	l.runs[call.Name]++
	l.stats.ToolCalls++
	if call.Error != "" {
		l.stats.ToolErrors++
	}
}

func (l *ledger) snapshot(now time.Time) sdk.Stats {
	stats := l.stats
	stats.Duration = now.Sub(stats.StartTime)
	for name, count := range l.runs {
		stats.TopTools = append(stats.TopTools, sdk.ToolCount{Name: name, Count: count})
	}
	slices.SortFunc(stats.TopTools, func(a, b sdk.ToolCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	return stats
}

// estimate guesses the tokens of a message: a token for every four bytes of its text and calls.
func estimate(m llm.Message) int {
	size := len(m.Content) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		size += len(call.Name) + len(call.Arguments)
	}
	return perFour(size)
}

// estimateShown is estimate for a message as plugins see it.
func estimateShown(m sdk.Message) int {
	size := len(m.Content) + len(m.Thinking)
	for _, call := range m.ToolCalls {
		size += len(call.Name) + len(encoded(call.Arguments))
	}
	return perFour(size)
}

func perFour(size int) int { return (size + 3) / 4 }
