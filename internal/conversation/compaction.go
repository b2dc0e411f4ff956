package conversation

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
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
	if err := errors.Join(c.compact(ctx, trigger, keep), c.transcript.saved()); err != nil {
		return fmt.Errorf("compacting the history: %w", err)
	}
	return nil
}

// relieve compacts the history if it has reached the configured limit. If compaction fails, the conversation continues
// unchanged.
func (c *Conversation) relieve(ctx context.Context) {
	keep := c.keepToAnswer()
	if !c.full() || ctx.Err() != nil || !c.announce(ctx, false, keep) {
		return
	}
	err := c.compact(ctx, event.TriggerThreshold, keep)
	c.compactFrom = 0
	if state := c.window.tokens(); err != nil || c.exceeds(state) {
		// Trying again at every turn would cost a model call each time, with the same result.
		c.compactFrom = state.Estimate + max(state.Estimate/20, 1)
	}
}

// full reports whether the history has to be compacted.
func (c *Conversation) full() bool {
	if !c.personas.compaction().enabled() || !c.transcript.compactable(c.keepToAnswer()) {
		return false
	}
	// The number of bytes decides most cases without counting tokens.
	if !c.exceeds(c.window.bound()) {
		return false
	}
	state := c.window.tokens()
	return c.exceeds(state) && state.Estimate >= c.compactFrom
}

// exceeds reports whether an estimate has reached the configured limit.
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
// not answered yet.
func (c *Conversation) keepToAnswer() int {
	keep := c.personas.compaction().keep()
	if keep == 0 && c.transcript.unanswered() {
		return 1
	}
	return keep
}

// announce calls the BeforeCompaction hooks for a compaction that keeps the last keep messages. It reports whether plugins
// allow the compaction. The call also covers retries that keep fewer messages.
func (c *Conversation) announce(ctx context.Context, forced bool, keep int) bool {
	out := c.hooks.run(ctx, hookpoint.BeforeCompaction, func(state sdk.Context) any {
		return sdk.BeforeCompactionContext{
			Context: state, Forced: forced, TokensUsed: state.Tokens.Estimate, ContextPercent: state.Tokens.Percent,
			MessageCount: state.MessageCount, KeepLast: keep,
		}
	})
	c.transcript.inject(queue(hookpoint.BeforeCompaction, out))
	return !out.Compaction.Skip
}

// compact replaces all but the last keep messages with a summary and emits the result as an event.
func (c *Conversation) compact(ctx context.Context, trigger string, keep int) error {
	c.cfg.Emit(event.Waiting{For: event.ForCompaction})
	older, ok := c.transcript.older(keep)
	told := event.Compaction{Trigger: trigger, PreMessages: c.transcript.length(), TokensBefore: c.window.tokens().Estimate}

	err, summary := errNothing, ""
	if ok {
		summary, err = c.summarise(ctx, older)
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err == nil {
		c.transcript.summarised(len(older), summary)
		c.ledger.compacted()
	} else {
		told.Error = err.Error()
	}
	told.Success, told.SummaryLength = err == nil, len(summary)
	told.PostMessages, told.TokensAfter = c.transcript.length(), c.window.tokens().Estimate
	c.cfg.Emit(told)
	c.hooks.run(ctx, hookpoint.AfterCompaction, func(state sdk.Context) any {
		return sdk.AfterCompactionContext{
			Context: state, Success: told.Success, PreMessages: told.PreMessages, PostMessages: told.PostMessages,
			SummaryLength: told.SummaryLength,
		}
	})
	return err
}
