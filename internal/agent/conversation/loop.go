package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// step is how a turn ended.
type step int

const (
	// over ends the interaction.
	over step = iota
	// rest ends the interaction too, unless auto mode finds open todos.
	rest
	// halted ends the interaction, and nothing makes it go on.
	halted
	// sentOn requests another turn because a shell hook lets the agent go on.
	sentOn
	// nudged requests another turn because a plugin has a message for the model.
	nudged
	// worked requests another turn because the model waits for the results of its tools.
	worked
)

// Send sends a prompt and returns once the agent stops. Even if it returns an error, the history is ready for another prompt
// and all its messages are in the journal. The last event is event.Done. If Send returns an error, event.Error precedes
// event.Done. The error is the model's (an *llm.Error if its class is known), ErrStepLimit, ErrBudget, or the cause of ctx's
// end. A prompt whose attachments cannot be sent is refused: it does not enter the history.
func (c *Conversation) Send(ctx context.Context, prompt string, attached ...Attachment) (err error) {
	if strings.TrimSpace(prompt) == "" {
		return errors.New("sending a prompt: it is empty")
	}
	if err := c.claim(); err != nil {
		return fmt.Errorf("sending a prompt: %w", err)
	}
	c.ledger.interaction()
	ctx, span := telemetry.Agent(ctx, c.personas.current().traced(), c.cfg.sessionID(), prompt)
	defer func() {
		span.End(err, errorClass(err))
		c.end(ctx, err)
	}()
	if err := c.ready(ctx); err != nil {
		return err
	}
	if c.cfg.Tape != nil {
		c.cfg.Tape.Prompt(prompt)
	}
	if err := c.prompted(ctx, prompt, attached); err != nil {
		return fmt.Errorf("the prompt was not sent: %w", err)
	}
	for iteration, continued := 1, 0; ; iteration++ {
		ended, err := c.runTurn(ctx, iteration)
		if err = errors.Join(err, c.transcript.saved()); err != nil {
			return err
		}
		if ended == halted {
			return nil
		}
		if ended == over || ended == rest && !c.auto.unfinished() {
			if !c.stopping(ctx, continued) {
				return nil
			}
			ended, continued = sentOn, continued+1
		}
		if limit := c.personas.maxSteps(); iteration >= limit {
			return stopAt(limit, ended)
		}
		if ended == rest {
			c.urge()
		}
	}
}

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
	if err := c.shortener.onRequest(ctx, forced); err != nil {
		return fmt.Errorf("compacting the history: %w", err)
	}
	return nil
}

// urge asks the agent, on behalf of the user, to continue with its open todos.
func (c *Conversation) urge() {
	m := llm.Message{Role: llm.RoleUser, Content: c.auto.reminder(), Synthetic: true}
	c.transcript.record(entry{Message: m})
	c.cfg.Emit(event.Message{Role: string(m.Role), Content: m.Content, Auto: true})
}

// prompted adds a prompt to the history, as plugins changed it and with its attachments.
func (c *Conversation) prompted(ctx context.Context, prompt string, attached []Attachment) error {
	out := c.hooks.run(ctx, hookpoint.UserMessage, func(state sdk.Context) any { return sdk.UserMessageContext{Context: state, Content: prompt} })
	if out.Prompt != nil {
		prompt = *out.Prompt
	}
	prompt, added, err := c.hooks.asked(ctx, prompt, c.cfg.Lead != nil)
	if err != nil {
		return err
	}
	m, queued, err := c.attachments.attach(ctx, prompt, attached)
	if err != nil {
		return err
	}
	c.transcript.release()
	c.transcript.record(entry{Message: m.Message})
	c.cfg.Emit(event.Message{Role: string(m.Role), Content: m.Content, Shown: m.shown(), Attachments: described(m.Parts)})
	c.transcript.inject(slices.Concat(queue(hookpoint.UserMessage, out), added, queued))
	return nil
}

// ready makes sure that a persona can answer and that the token budget is not used up.
func (c *Conversation) ready(ctx context.Context) error {
	c.settleSwitches(ctx)
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	if err := c.personas.resolve(ctx); err != nil {
		return err
	}
	return c.affordable()
}

// end reports how the interaction ended and releases the conversation.
func (c *Conversation) end(ctx context.Context, err error) {
	if err != nil {
		failed := event.Error{Message: err.Error()}
		if class, ok := errors.AsType[*llm.Error](err); ok {
			failed.Class, failed.Retryable = class.Type, class.Retryable()
		}
		c.cfg.Emit(failed)
		if c.cfg.Lead == nil {
			c.hooks.moment(ctx, hookpoint.MomentNotification, func(m *hookpoint.Moment) {
				m.Subject, m.Fields = "error", map[string]any{"kind": "error", "message": err.Error()}
			})
		}
	}
	c.settleSwitches(ctx)
	c.keepWaiting()
	c.release()
	c.cfg.Emit(event.Finished(c.Stats(), c.Models()))
}

// stopAt returns the error for an interaction that has used up its turns.
func stopAt(limit int, ended step) error {
	left := "the model is not done"
	switch ended {
	case rest:
		left = "todos are left"
	case nudged:
		left = "a plugin asked for another turn"
	case sentOn:
		left = "a hook lets the model go on"
	case over, halted, worked:
	}
	return fmt.Errorf("%w: %d turns are used up and %s; send another prompt to continue, or allow more with --max-steps",
		ErrStepLimit, limit, left)
}

// runTurn makes one model call and runs the tools it asks for.
func (c *Conversation) runTurn(ctx context.Context, iteration int) (step, error) {
	c.settleSwitches(ctx)
	if ctx.Err() != nil {
		return over, interrupted(ctx)
	}
	if err := c.affordable(); err != nil {
		return over, err
	}
	c.open(iteration)
	c.withhold(ctx)
	c.transcript.inform(c.cfg.Notes)
	out := c.hooks.run(ctx, hookpoint.BeforeChat, func(state sdk.Context) any { return sdk.BeforeChatContext{Context: state} })
	queued := queue(hookpoint.BeforeChat, out)
	if out.Request.Skip {
		// A message for this one request is not for the next one.
		queued = slices.DeleteFunc(queued, func(in injection) bool { return in.Eject })
	}
	c.transcript.inject(queued)
	if ctx.Err() != nil {
		return over, interrupted(ctx)
	}
	if out.Request.Skip {
		// A plugin that emitted a notice has informed the user already.
		if len(out.Notices) == 0 {
			by := strings.Join(out.SkippedBy, ", ")
			c.cfg.Emit(event.Notice{Plugin: by, Text: fmt.Sprintf("plugin %s skipped the request, so the model did not answer", by)})
		}
		c.turn.responded(llm.Message{})
		return over, nil
	}
	if text := out.Request.AppendSystem; text != nil {
		c.turn.appendSystem(*text)
	}
	got, answered, err := c.ask(ctx, out.DisableTools)
	if err != nil || !answered {
		return over, err
	}
	return c.answer(ctx, got)
}

// open starts a turn with the current tools and the current system prompt.
func (c *Conversation) open(iteration int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.iteration()
	c.turn.open(iteration)
	c.rearm()
}

// withhold removes the tools that the persona does not offer at this moment.
func (c *Conversation) withhold(ctx context.Context) {
	who := c.personas.current()
	var patterns []string
	if who.Withhold != nil {
		patterns = who.Withhold(ctx, c.Context())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offer.withhold(patterns)
	c.rearm()
}

// answer adds a response to the history, as changed by plugins, and runs the tool calls that it contains.
func (c *Conversation) answer(ctx context.Context, got answer) (step, error) {
	m := c.accept(got.Response)
	out := c.hooks.run(ctx, hookpoint.AfterResponse, func(state sdk.Context) any {
		return sdk.AfterResponseContext{Context: state, Response: m.Content, Thinking: m.Thinking, Calls: shownCalls(m.ToolCalls)}
	})
	queued := queue(hookpoint.AfterResponse, out)
	if kept := modified(m, out.Response); kept.Content != "" || kept.Thinking != "" || len(kept.ToolCalls) > 0 {
		c.transcript.record(entry{Message: kept})
	}
	added, ended := c.executor.work(got.span.Into(ctx), m.ToolCalls)
	queued = append(queued, added...)
	c.transcript.inject(queued)
	c.keepWaiting()
	switch {
	case ctx.Err() != nil:
		return over, interrupted(ctx)
	case ended != worked:
		return ended, nil
	case len(m.ToolCalls) > 0:
		return worked, nil
	case len(queued) > 0:
		return nudged, nil
	}
	// A plugin that emitted a notice has informed the user already.
	if m.Content == "" && len(out.Notices) == 0 {
		c.cfg.Emit(event.Notice{Text: "the model's answer is empty"})
	}
	return rest, nil
}

// accept counts a response and returns its message, ready for the history.
func (c *Conversation) accept(response llm.Response) llm.Message {
	m := response.Message
	m.Role = llm.RoleAssistant
	asked := len(m.ToolCalls) + response.Dropped
	m.ToolCalls = c.transcript.identify(m.ToolCalls[:min(len(m.ToolCalls), limit.Calls)])
	if m.CreatedAt.IsZero() {
		m.CreatedAt = c.cfg.Now()
	}
	guess := guessed(c.personas.limited(), response, func() int { return c.window.tokens().Estimate })
	c.ledger.answered(c.personas.current(), response, guess)
	c.turn.responded(m)
	c.cfg.Emit(event.Message{
		Role: string(m.Role), Content: m.Content, Thinking: m.Thinking, ToolCalls: len(m.ToolCalls),
	})
	if asked > limit.Calls {
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("the model asked for %d tool calls in one answer, of which only the first %d run", asked, limit.Calls)})
	}
	if response.StopReason == llm.StopLength {
		c.cfg.Emit(event.Notice{Text: "the answer was cut: it reached the limit of output tokens"})
	}
	return m
}

// modified returns the part of a response that enters the history. A skipped response keeps its tool calls: they run anyway,
// and their results must follow a call.
func modified(m llm.Message, change sdk.ResponseModification) llm.Message {
	if change.Skip {
		m.Content, m.Thinking = "", ""
	} else if change.Content != nil {
		m.Content = *change.Content
	}
	return m
}
