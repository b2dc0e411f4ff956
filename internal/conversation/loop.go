package conversation

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// step says how a turn ended.
type step int

const (
	// rest ends the interaction.
	rest step = iota
	// nudged asks for another turn because a plugin has something to say to the model.
	nudged
	// worked asks for another turn because the model waits for the results of its tools.
	worked
)

// Send takes a prompt and returns once the agent rests. Whatever it returns, the history is fit for another prompt and all
// that entered it is in the journal. The last event is event.Done, with event.Error before it if Send returns an error: that
// of the model (an *llm.Error where its class is known), ErrStepLimit, or the cause of ctx's end.
func (c *Conversation) Send(ctx context.Context, prompt string) (err error) {
	if strings.TrimSpace(prompt) == "" {
		return errors.New("sending a prompt: it is empty")
	}
	if err := c.begin(); err != nil {
		return err
	}
	defer func() { c.end(err) }()
	if err := c.resolve(ctx); err != nil {
		return err
	}
	c.record(llm.Message{Role: llm.RoleUser, Content: prompt}, false)
	c.cfg.Emit(event.Message{Role: string(llm.RoleUser), Content: prompt})
	for iteration := 1; ; iteration++ {
		ended, err := c.runTurn(ctx, iteration)
		if err = errors.Join(err, c.saved()); err != nil || ended == rest {
			return err
		}
		if iteration < c.cfg.MaxSteps {
			continue
		}
		if ended == nudged {
			c.cfg.Emit(event.Notice{Text: fmt.Sprintf("a plugin asked for another turn, but the limit of %d is reached", c.cfg.MaxSteps)})
			return nil
		}
		return fmt.Errorf("%w: %d turns are used up and the model is not done; send another prompt to go on, or allow more with --max-steps",
			ErrStepLimit, c.cfg.MaxSteps)
	}
}

// begin claims the conversation for one interaction.
func (c *Conversation) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return errors.New("sending a prompt: the one before it is still being answered")
	}
	c.busy, c.unsaved = true, nil
	c.ledger.stats.Interactions++
	return nil
}

// end tells how the interaction went and frees the conversation.
func (c *Conversation) end(err error) {
	if err != nil {
		failed := event.Error{Message: err.Error()}
		if class, ok := errors.AsType[*llm.Error](err); ok {
			failed.Class, failed.Retryable = class.Type, class.Retryable()
		}
		c.cfg.Emit(failed)
	}
	c.mu.Lock()
	c.busy = false
	c.turn.system = c.cfg.System
	c.turn.offer(c.tools, c.disableNext)
	c.mu.Unlock()
	c.cfg.Emit(event.Finished(c.Stats()))
}

// saved reports whether the journal kept everything.
func (c *Conversation) saved() error {
	if c.unsaved == nil {
		return nil
	}
	return fmt.Errorf("saving the session: %w", c.unsaved)
}

// runTurn makes one model call and runs the tools it asks for.
func (c *Conversation) runTurn(ctx context.Context, iteration int) (step, error) {
	if ctx.Err() != nil {
		return rest, interrupted(ctx)
	}
	c.open(iteration)
	out := c.hook(ctx, hookpoint.BeforeChat, sdk.BeforeChatContext{Context: c.Context()})
	c.inject(queue(hookpoint.BeforeChat, out))
	if ctx.Err() != nil {
		return rest, interrupted(ctx)
	}
	if out.Request.Skip {
		c.unanswered()
		return rest, nil
	}
	c.appendSystem(out.Request.AppendSystem)
	response, answered, err := c.ask(ctx, out.DisableTools)
	if err != nil || !answered {
		return rest, err
	}
	return c.answer(ctx, response)
}

// open starts a turn with the tools and the system prompt of the moment.
func (c *Conversation) open(iteration int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.stats.Iterations++
	c.turn.iteration = iteration
	c.turn.system = c.cfg.System
	c.turn.offer(c.tools, c.disableNext)
}

// appendSystem adds to the system prompt of this turn.
func (c *Conversation) appendSystem(text *string) {
	if text == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn.system != "" {
		c.turn.system += "\n\n"
	}
	c.turn.system += *text
}

// unanswered notes that the turn ends as if the model had said nothing.
func (c *Conversation) unanswered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn.responded(llm.Message{})
}

// answer takes a response into the history as far as plugins let it, and does what it asks for.
func (c *Conversation) answer(ctx context.Context, response llm.Response) (step, error) {
	m := c.accept(response)
	out := c.hook(ctx, hookpoint.AfterResponse, sdk.AfterResponseContext{
		Context: c.Context(), Response: m.Content, Thinking: m.Thinking, Calls: shownCalls(m.ToolCalls),
	})
	queued := queue(hookpoint.AfterResponse, out)
	if kept := modified(m, out.Response); kept.Content != "" || kept.Thinking != "" || len(kept.ToolCalls) > 0 {
		c.record(kept, false)
	}
	queued = append(queued, c.work(ctx, m.ToolCalls)...)
	c.inject(queued)
	switch {
	case ctx.Err() != nil:
		return rest, interrupted(ctx)
	case len(m.ToolCalls) > 0:
		return worked, nil
	case len(queued) > 0:
		return nudged, nil
	default:
		return rest, nil
	}
}

// accept counts a response and returns its message, ready for the history.
func (c *Conversation) accept(response llm.Response) llm.Message {
	c.mu.Lock()
	m := response.Message
	m.Role = llm.RoleAssistant
	m.ToolCalls = c.history.identify(m.ToolCalls)
	if m.CreatedAt.IsZero() {
		m.CreatedAt = c.cfg.Now()
	}
	c.ledger.answered(response.Usage)
	c.turn.responded(m)
	c.mu.Unlock()
	c.cfg.Emit(event.Message{
		Role: string(m.Role), Content: m.Content, Thinking: m.Thinking, ToolCalls: len(m.ToolCalls),
	})
	return m
}

// modified returns what of a response enters the history. A skipped response keeps its tool calls: they run all the same,
// and their results need them.
func modified(m llm.Message, change sdk.ResponseModification) llm.Message {
	if change.Skip {
		m.Content, m.Thinking = "", ""
	} else if change.Content != nil {
		m.Content = *change.Content
	}
	return m
}
