package conversation

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/sdk"
)

// ledger counts the events of a session and what its models cost.
type ledger struct {
	// lead is charged too; it may be nil.
	lead *ledger

	mu    sync.Mutex
	stats sdk.Stats
	// calls only grows at its end and its elements never change, so a caller that holds an earlier version shares its
	// beginning. When the old calls take too much memory, or plugins replace the newest result, a new slice replaces it.
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
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats, l.calls, l.size, l.models = sdk.Stats{}, nil, 0, nil
	l.requests, l.lastInput, l.spent = 0, 0, 0
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

// interaction counts a prompt.
func (l *ledger) interaction() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Interactions++
}

// iteration counts a turn that begins.
func (l *ledger) iteration() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Iterations++
}

// requested counts a model call and returns its number.
func (l *ledger) requested() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	return l.requests
}

// unreadable counts an answer that could not be parsed.
func (l *ledger) unreadable() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.ParseRetries++
}

// compacted counts a compaction.
func (l *ledger) compacted() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Compactions++
}

// charge counts the tokens of a model call. guessed is an estimate of its tokens if the provider reports none.
func (l *ledger) charge(who speaker, response llm.Response, guessed int) {
	if l.lead != nil {
		l.lead.charge(who, response, guessed)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	usage := response.Usage
	l.stats.TokensIn += usage.Input
	l.stats.TokensOut += usage.Output
	l.spent += usage.Input + usage.Output + guessed
	l.bill(ModelUse{
		Provider: who.ProviderName, Model: who.modelName(), TokensIn: usage.Input, TokensOut: usage.Output,
		CacheRead: usage.CacheRead, CacheWrite: usage.CacheWrite, PricesOf: response.PricesOf,
	}, response.Cost)
}

// answered counts a response of a turn. guessed is as for charge.
func (l *ledger) answered(who speaker, response llm.Response, guessed int) {
	l.charge(who, response, guessed)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Turns++
	l.lastInput = response.Usage.Input
}

// called records a tool call and, if it ran, counts it. files holds the files that it changed.
func (l *ledger) called(call sdk.ToolCall, ran bool, files []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(call, ran, files)
}

// count is called without the lock, which the caller holds.
func (l *ledger) count(call sdk.ToolCall, ran bool, files []string) {
	l.appendCall(call)
	l.changed(files)
	if !ran {
		return
	}
	l.runs[call.Name]++
	l.stats.ToolCalls++
	if call.Error != "" {
		l.stats.ToolErrors++
	}
}

// replaced records that plugins replaced the result of the newest call. A text that begins with an error replaces the error of a
// failed call too, as it does for the model. Callers may hold the calls, so they are copied.
func (l *ledger) replaced(result string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.calls)
	if n == 0 {
		return
	}
	l.calls = slices.Clone(l.calls)
	last := &l.calls[n-1]
	last.Result = result
	if failure, failed := strings.CutPrefix(result, errorMark); failed && last.Error != "" {
		last.Result, last.Error = "", failure
	}
}

// appendCall appends a call to calls and limits the size of the older calls. Once the limit is reached, they are shortened to half of
// it. Otherwise every further call would replace the slice, and it would be sent to every plugin again. The caller holds
// the lock.
func (l *ledger) appendCall(call sdk.ToolCall) {
	if n := len(l.calls); n > 0 {
		l.size += limit.CallSize(l.calls[n-1])
	}
	l.calls = append(l.calls, call)
	if l.size > limit.History || len(l.calls) > limit.Entries {
		l.calls, l.size = limit.TrimCalls(l.calls, limit.History/2)
	}
}

// changed counts the files that a successful call changed. The caller holds the lock.
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

// counts is what a ledger holds at one moment.
type counts struct {
	stats sdk.Stats
	// cost is the cost of all models in US dollars; nil if it is not known.
	cost *float64
	// patches counts the changes to each file. The caller owns it.
	patches map[string]int
	// calls is shared with later values and must not be changed.
	calls []sdk.ToolCall
}

// view returns the current counts.
func (l *ledger) view(now time.Time) counts {
	l.mu.Lock()
	defer l.mu.Unlock()
	return counts{
		stats: l.snapshot(now), cost: TotalCost(l.stats, l.used()), patches: maps.Clone(l.patches), calls: slices.Clip(l.calls),
	}
}

// last returns the provider's count of input tokens in the last call.
func (l *ledger) last() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastInput
}

// affordable returns an error if a token budget permits no further model call. There is no limit if it is not positive.
func (l *ledger) affordable(budget int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if budget > 0 && l.spent >= budget {
		return fmt.Errorf("%w: the session has used %d of %d tokens; allow more with --token-budget, or start another session",
			ErrBudget, l.spent, budget)
	}
	return nil
}

// totals returns the counts of the session.
func (l *ledger) totals(now time.Time) sdk.Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.snapshot(now)
}

// usage returns the usage of each model, in the order of first use.
func (l *ledger) usage() []ModelUse {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.used()
}

// snapshot returns the counts of the session. The caller holds the lock.
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
