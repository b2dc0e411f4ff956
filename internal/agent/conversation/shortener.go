package conversation

import (
	"context"
	"errors"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// errNothing reports that the history contains nothing that a summary could replace.
var errNothing = errors.New("there is nothing to compact: all messages are among those that are kept")

// shortener replaces the older part of the history with a summary: on request, when the history has reached the configured limit,
// and when it was too long for the model. Only the goroutine that has claimed the conversation uses it.
type shortener struct {
	emit func(event.Event)
	// todos may be nil.
	todos      *todo.List
	personas   *personas
	transcript *transcript
	window     *window
	hooks      *hooks
	ledger     *ledger
	caller     *caller

	// from is the estimate below which no compaction is tried again, because the last one did not help.
	from int
}

// reset permits the next compaction, because the history or the model has changed.
func (s *shortener) reset() { s.from = 0 }

// onRequest compacts the history because the user requests it. Unless it is forced, it does so only if the history is full. The error
// includes that of the journal.
func (s *shortener) onRequest(ctx context.Context, forced bool) error {
	if !forced && !s.full() {
		return nil
	}
	trigger := event.TriggerThreshold
	if forced {
		trigger = event.TriggerForced
	}
	keep := s.keptMessages()
	if !s.announce(ctx, forced, keep) {
		s.emit(event.Notice{Text: "the history was not compacted: a plugin manages it"})
		return nil
	}
	return errors.Join(s.compact(ctx, trigger, keep), s.transcript.saved())
}

// relieve compacts the history if it has reached the configured limit. If compaction fails, the conversation continues
// unchanged.
func (s *shortener) relieve(ctx context.Context) {
	keep := s.keepToAnswer()
	if !s.full() || ctx.Err() != nil || !s.announce(ctx, false, keep) {
		return
	}
	err := s.compact(ctx, event.TriggerThreshold, keep)
	s.from = 0
	if state := s.window.tokens(); err != nil || s.exceeds(state) {
		// Trying again at every turn would cost a model call each time, with the same result.
		s.from = state.Estimate + max(state.Estimate/20, 1)
	}
}

// full reports whether the history has to be compacted.
func (s *shortener) full() bool {
	if !s.personas.compaction().enabled() || !s.transcript.compactable(s.keepToAnswer()) {
		return false
	}
	// The number of bytes decides most cases without counting tokens.
	if !s.exceeds(s.window.bound()) {
		return false
	}
	state := s.window.tokens()
	return s.exceeds(state) && state.Estimate >= s.from
}

// exceeds reports whether an estimate has reached the configured limit.
func (s *shortener) exceeds(state sdk.TokenState) bool {
	settings := s.personas.compaction()
	if settings.MaxTokens > 0 {
		return state.Estimate >= settings.MaxTokens
	}
	return settings.Threshold > 0 && state.Max > 0 && 100*float64(state.Estimate) >= settings.Threshold*float64(state.Max)
}

// keptMessages returns how many of the last messages a compaction keeps.
func (s *shortener) keptMessages() int { return s.personas.compaction().keptMessages() }

// keepToAnswer returns how many of the last messages a compaction before a model call keeps. It keeps at least a prompt that is
// not answered yet.
func (s *shortener) keepToAnswer() int {
	keep := s.keptMessages()
	if keep == 0 && s.transcript.unanswered() {
		return 1
	}
	return keep
}

// announce calls the BeforeCompaction hooks for a compaction that keeps the last keep messages. It reports whether plugins
// allow the compaction. The call also covers retries that keep fewer messages.
func (s *shortener) announce(ctx context.Context, forced bool, keep int) bool {
	out := s.hooks.run(ctx, hookpoint.BeforeCompaction, func(state sdk.Context) any {
		return sdk.BeforeCompactionContext{
			Context: state, Forced: forced, TokensUsed: state.Tokens.Estimate, ContextPercent: state.Tokens.Percent,
			MessageCount: state.MessageCount, KeepLast: keep,
		}
	})
	s.transcript.inject(queue(hookpoint.BeforeCompaction, out))
	if out.Compaction.Skip {
		return false
	}
	trigger := compactTrigger(forced)
	blocked := s.hooks.moment(ctx, hookpoint.MomentPreCompact, func(m *hookpoint.Moment) {
		m.Subject = trigger
		m.Fields = map[string]any{"trigger": trigger, "messages": m.MessageCount, "tokens": m.Tokens.Estimate}
	})
	if blocked.Block != nil {
		s.emit(event.Notice{Text: "the history was not compacted: " + blockText(blocked)})
	}
	return blocked.Block == nil
}

// compactTrigger returns the cause of a compaction as shell hooks see it.
func compactTrigger(forced bool) string {
	if forced {
		return "manual"
	}
	return "auto"
}

// compact replaces all but the last keep messages with a summary and emits the result as an event.
func (s *shortener) compact(ctx context.Context, trigger string, keep int) error {
	s.emit(event.Waiting{For: event.ForCompaction})
	older, ok := s.transcript.older(keep)
	told := event.Compaction{Trigger: trigger, PreMessages: s.transcript.length(), TokensBefore: s.window.tokens().Estimate}

	err, summary := errNothing, ""
	if ok {
		summary, err = s.summarise(ctx, older)
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err == nil {
		s.transcript.summarised(len(older), summaryHead+summary+s.openTodos())
		s.ledger.compacted()
	} else {
		told.Error = err.Error()
	}
	told.Success, told.SummaryLength = err == nil, len(summary)
	told.PostMessages, told.TokensAfter = s.transcript.length(), s.window.tokens().Estimate
	s.emit(told)
	s.hooks.run(ctx, hookpoint.AfterCompaction, func(state sdk.Context) any {
		return sdk.AfterCompactionContext{
			Context: state, Success: told.Success, PreMessages: told.PreMessages, PostMessages: told.PostMessages,
			SummaryLength: told.SummaryLength,
		}
	})
	cause := compactTrigger(trigger == event.TriggerForced)
	s.hooks.moment(ctx, hookpoint.MomentPostCompact, func(m *hookpoint.Moment) {
		m.Subject = cause
		m.Fields = map[string]any{"trigger": cause, "success": told.Success, "messages": told.PostMessages, "summary": summary}
	})
	return err
}
