package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// errNothing reports that the history contains nothing that a summary could replace.
var errNothing = errors.New("there is nothing to compact: all messages are among those that are kept")

// Compact replaces all but the last messages with a summary. Unless it is forced, it does so only if the history has reached
// the configured limit. A plugin may prevent the compaction, which is not an error.
func (c *Conversation) Compact(ctx context.Context, forced bool) error {
	if err := c.claim(); err != nil {
		return fmt.Errorf("compacting the history: %w", err)
	}
	defer c.release()
	if err := c.ready(ctx); err != nil {
		return err
	}
	if !forced && !c.full() {
		return nil
	}
	trigger := event.TriggerThreshold
	if forced {
		trigger = event.TriggerForced
	}
	keep := c.keep()
	if !c.announce(ctx, forced, keep) {
		c.cfg.Emit(event.Notice{Text: "the history was not compacted: a plugin manages it"})
		return nil
	}
	if err := errors.Join(c.compact(ctx, trigger, keep), c.saved()); err != nil {
		return fmt.Errorf("compacting the history: %w", err)
	}
	return nil
}

// relieve compacts the history if it has reached the configured limit. If compaction fails, the conversation continues
// unchanged.
func (c *Conversation) relieve(ctx context.Context) {
	c.mu.Lock()
	keep := c.keepToAnswer()
	c.mu.Unlock()
	if !c.full() || ctx.Err() != nil || !c.announce(ctx, false, keep) {
		return
	}
	err := c.compact(ctx, event.TriggerThreshold, keep)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.compactFrom = 0
	if state := c.tokens(); err != nil || c.exceeds(state) {
		// Trying again at every turn would cost a model call each time, with the same result.
		c.compactFrom = state.Estimate + max(state.Estimate/20, 1)
	}
}

// full reports whether the history has to be compacted.
func (c *Conversation) full() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	settings := c.personas.compaction()
	if !settings.enabled() || !c.history.compactable(c.keepToAnswer()) {
		return false
	}
	// The number of bytes decides most cases without counting tokens.
	if bound := (sdk.TokenState{Estimate: c.bytes(), Max: c.personas.current().window()}); !c.exceeds(bound) {
		return false
	}
	state := c.tokens()
	return c.exceeds(state) && state.Estimate >= c.compactFrom
}

// exceeds reports whether an estimate has reached the configured limit. The caller holds the lock.
func (c *Conversation) exceeds(state sdk.TokenState) bool {
	settings := c.personas.compaction()
	if settings.MaxTokens > 0 {
		return state.Estimate >= settings.MaxTokens
	}
	return settings.Threshold > 0 && state.Max > 0 && 100*float64(state.Estimate) >= settings.Threshold*float64(state.Max)
}

// keep returns how many of the last messages a compaction keeps.
func (c *Conversation) keep() int { return c.personas.compaction().keep() }

// keepToAnswer returns how many of the last messages a compaction before a model call keeps. It keeps at least a prompt that is
// not answered yet. The caller holds the lock.
func (c *Conversation) keepToAnswer() int {
	keep, last := c.personas.compaction().keep(), len(c.history.entries)-1
	if keep == 0 && last >= 0 && c.history.entries[last].Role == llm.RoleUser {
		return 1
	}
	return keep
}

// announce calls the BeforeCompaction hooks for a compaction that keeps the last keep messages. It reports whether plugins
// allow the compaction. The call also covers retries that keep fewer messages.
func (c *Conversation) announce(ctx context.Context, forced bool, keep int) bool {
	out := c.hook(ctx, hookpoint.BeforeCompaction, func(state sdk.Context) any {
		return sdk.BeforeCompactionContext{
			Context: state, Forced: forced, TokensUsed: state.Tokens.Estimate, ContextPercent: state.Tokens.Percent,
			MessageCount: state.MessageCount, KeepLast: keep,
		}
	})
	c.inject(queue(hookpoint.BeforeCompaction, out))
	return !out.Compaction.Skip
}

// compact replaces all but the last keep messages with a summary and emits the result as an event.
func (c *Conversation) compact(ctx context.Context, trigger string, keep int) error {
	c.cfg.Emit(event.Waiting{For: event.ForCompaction})
	c.mu.Lock()
	cut := c.history.cut(keep)
	told := event.Compaction{Trigger: trigger, PreMessages: len(c.history.entries), TokensBefore: c.tokens().Estimate}
	older := slices.Clone(c.history.entries[:cut])
	ok := c.history.compactable(keep)
	c.mu.Unlock()

	err, summary := errNothing, ""
	if ok {
		summary, err = c.summarise(ctx, older)
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err == nil {
		c.rebuild(cut, summary)
	} else {
		told.Error = err.Error()
	}
	c.mu.Lock()
	told.Success, told.SummaryLength = err == nil, len(summary)
	told.PostMessages, told.TokensAfter = len(c.history.entries), c.tokens().Estimate
	c.mu.Unlock()
	c.cfg.Emit(told)
	c.hook(ctx, hookpoint.AfterCompaction, func(state sdk.Context) any {
		return sdk.AfterCompactionContext{
			Context: state, Success: told.Success, PreMessages: told.PreMessages, PostMessages: told.PostMessages,
			SummaryLength: told.SummaryLength,
		}
	})
	return err
}

// rebuild replaces the entries before cut with a summary. It keeps entries that are sent once and have not been sent yet.
func (c *Conversation) rebuild(cut int, summary string) {
	c.mu.Lock()
	entries := []entry{{
		Message: llm.Message{Role: llm.RoleUser, Content: summary, Synthetic: true, CreatedAt: c.cfg.Now()}, summary: true,
	}}
	kept := 0
	for i, e := range c.history.entries {
		if i >= cut || e.eject {
			entries = append(entries, e)
		}
		if i >= cut && !e.eject {
			kept++
		}
	}
	c.history.reset(entries)
	c.turn.sent = 0
	c.ledger.compacted()
	c.mu.Unlock()
	if journal, ok := c.cfg.Journal.(Compactor); ok {
		c.keepError(journal.Compacted(summary, kept))
	}
}

// compactable reports whether the entries before the last keep contain more than an earlier summary.
func (h *history) compactable(keep int) bool {
	for _, e := range h.entries[:h.cut(keep)] {
		if !e.summary && !e.eject {
			return true
		}
	}
	return false
}
