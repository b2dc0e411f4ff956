package conversation

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// ledger counts the events of a session.
type ledger struct {
	stats sdk.Stats
	// calls only grows at its end and its elements never change, so a caller that holds an earlier version shares its
	// beginning. When the old calls take too much memory, a new slice with shortened calls replaces it.
	calls []sdk.ToolCall
	// size is how much all calls except the newest count against limit.History, in bytes.
	size int
	// runs counts the runs of each tool. patches counts the changes to each file.
	runs, patches map[string]int
	// requests counts the model calls, including failed ones.
	requests int
	// lastInput is the provider's count of input tokens in the last call.
	lastInput int
	// spent is the number of tokens that count against the budget: the provider's counts, or estimates if the provider reports
	// none.
	spent int
	// models holds the usage of each model, in the order of first use.
	models []spending
}

// begin starts counting at zero, or at the counts of an earlier conversation.
func (l *ledger) begin(now time.Time, earlier *sdk.Stats, models []ModelUse) {
	l.runs, l.patches = map[string]int{}, map[string]int{}
	l.billAll(models)
	if earlier != nil {
		l.stats = *earlier
		l.stats.TopTools = nil
		for _, t := range earlier.TopTools {
			l.runs[t.Name] = t.Count
		}
		l.spent = earlier.TokensIn + earlier.TokensOut
	}
	if l.stats.StartTime.IsZero() {
		l.stats.StartTime = now
	}
}

// charge counts the tokens of a model call.
func (l *ledger) charge(who speaker, response llm.Response) {
	usage := response.Usage
	l.stats.TokensIn += usage.Input
	l.stats.TokensOut += usage.Output
	l.spent += usage.Input + usage.Output
	l.bill(ModelUse{
		Provider: who.ProviderName, Model: who.modelName(), TokensIn: usage.Input, TokensOut: usage.Output,
		CacheRead: usage.CacheRead, CacheWrite: usage.CacheWrite,
	}, response.Cost)
}

// answered counts a response.
func (l *ledger) answered(who speaker, response llm.Response) {
	l.stats.Turns++
	l.charge(who, response)
	l.lastInput = response.Usage.Input
}

// called records a tool call and, if it ran, counts it.
func (l *ledger) called(call sdk.ToolCall, ran bool) {
	l.keep(call)
	if !ran {
		return
	}
	l.runs[call.Name]++
	l.stats.ToolCalls++
	if call.Error != "" {
		l.stats.ToolErrors++
	}
}

// keep appends a call to calls and limits the size of the older calls. Once the limit is reached, they are shortened to half of
// it. Otherwise every further call would replace the slice, and it would be sent to every plugin again.
func (l *ledger) keep(call sdk.ToolCall) {
	if n := len(l.calls); n > 0 {
		l.size += limit.CallSize(l.calls[n-1])
	}
	l.calls = append(l.calls, call)
	if l.size > limit.History || len(l.calls) > limit.Entries {
		l.calls, l.size = limit.TrimCalls(l.calls, limit.History/2)
	}
}

// changed counts the files that a successful call changed.
func (l *ledger) changed(paths []string) {
	for _, path := range paths {
		if _, known := l.patches[path]; !known && len(l.patches) >= limit.Patched {
			l.forget()
		}
		l.patches[path]++
	}
}

// forget drops the file that was changed least often.
func (l *ledger) forget() {
	var least string
	for path, count := range l.patches {
		if n, ok := l.patches[least]; !ok || count < n || count == n && path < least {
			least = path
		}
	}
	delete(l.patches, least)
}

// patched returns how often each file was changed. The caller owns the map.
func (l *ledger) patched() map[string]int { return maps.Clone(l.patches) }

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
