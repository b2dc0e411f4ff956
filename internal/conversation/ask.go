package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

const (
	// maxRetries is how often plugins may have one model call repeated.
	maxRetries = 3
	// maxRereads is how often a call is repeated whose answer could not be read.
	maxRereads = 2
)

// ask calls the model without the disabled tools. A failure is mended if there is a way: first the answer is asked for again
// if it could not be read, then the history is compacted if it was too long, then another agent takes over. What is left is
// for plugins: they may have the call repeated, or have the failure passed over. Then there is no answer and no error.
func (c *Conversation) ask(ctx context.Context, disabled []string) (response llm.Response, answered bool, err error) {
	defer func() { c.called(ctx, answered) }()
	var r rescue
	c.relieve(ctx)
	for retries := 0; ; {
		disabled = c.offer(disabled)
		response, err := c.request(ctx)
		if err == nil {
			return response, true, nil
		}
		if c.mend(ctx, &r, err) {
			continue
		}
		verdict := c.failed(ctx, err)
		switch {
		case ctx.Err() != nil:
			return llm.Response{}, false, interrupted(ctx)
		case verdict.Retry && retries < maxRetries:
			retries++
		case verdict.Skip:
			c.unanswered()
			return llm.Response{}, false, nil
		default:
			return llm.Response{}, false, fmt.Errorf("calling %s: %w", c.speaker().title(), err)
		}
	}
}

// mend does what can be done about a failure without plugins, and reports whether the call is worth another try.
func (c *Conversation) mend(ctx context.Context, r *rescue, failure error) bool {
	switch {
	case ctx.Err() != nil:
		return false
	case c.shrink(ctx, r, failure):
		return true
	case c.failover(ctx, failure):
		// The window of the new model may be another one.
		c.relieve(ctx)
		return true
	default:
		return false
	}
}

// offer narrows the tools of this turn and returns all patterns that were applied, those kept for this call included.
func (c *Conversation) offer(disabled []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	disabled = append(disabled, c.disableNext...)
	c.turn.disabled, c.disableNext = union(c.turn.disabled, c.disableNext), nil
	c.present(disabled)
	return disabled
}

// request makes one call of the model, as part of a turn.
func (c *Conversation) request(ctx context.Context) (llm.Response, error) {
	c.mu.Lock()
	who, system := c.who, c.system()
	messages, sent := c.history.messages(system), len(c.history.entries)
	request := llm.Request{
		Model: who.modelName(), Tools: definitions(c.turn.offered), Think: who.Think, Generation: who.Generation,
	}
	c.mu.Unlock()

	request.Messages = c.transform(ctx, messages)
	if ctx.Err() != nil {
		return llm.Response{}, interrupted(ctx)
	}
	c.mu.Lock()
	c.turn.sent = sent
	c.mu.Unlock()
	return c.call(ctx, who, request, func(d llm.Delta) { c.cfg.Emit(event.Delta(d)) })
}

// call calls a model, again if its answer cannot be read.
func (c *Conversation) call(ctx context.Context, who speaker, request llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	for rereads := 0; ; rereads++ {
		c.mu.Lock()
		c.ledger.requests++
		told := event.Request{
			Number: c.ledger.requests, Iteration: c.turn.iteration, Messages: len(request.Messages), Tools: len(request.Tools),
		}
		c.mu.Unlock()
		c.cfg.Emit(told)
		response, err := who.Provider.Chat(ctx, request, onDelta)
		class, ok := errors.AsType[*llm.Error](err)
		if !ok || !class.Malformed || rereads == maxRereads || ctx.Err() != nil {
			return response, err
		}
		c.mu.Lock()
		c.ledger.stats.ParseRetries++
		c.mu.Unlock()
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("the answer of %s could not be read (%v), so it is asked again", who.title(), err)})
	}
}

// failed asks plugins what to do about a provider's error.
func (c *Conversation) failed(ctx context.Context, err error) sdk.ErrorModification {
	out := c.hook(ctx, hookpoint.OnError, func(state sdk.Context) any {
		in := sdk.OnErrorContext{Context: state, Error: err.Error()}
		if class, ok := errors.AsType[*llm.Error](err); ok {
			in.Error, in.ErrorType, in.Retryable = class.Message, class.Type, class.Retryable()
		}
		return in
	})
	c.inject(queue(hookpoint.OnError, out))
	return out.Error
}

// classOf returns the type of a provider's error; empty if it is unclassified.
func classOf(err error) string {
	if class, ok := errors.AsType[*llm.Error](err); ok {
		return class.Type
	}
	return ""
}

func definitions(offered []tool.Definition) []llm.ToolDefinition {
	out := make([]llm.ToolDefinition, 0, len(offered))
	for _, d := range offered {
		out = append(out, llm.ToolDefinition{Name: d.Name, Description: describe(d), Parameters: d.Parameters})
	}
	return out
}

// describe returns all that a model is told of a tool beside its schema.
func describe(d tool.Definition) string {
	parts := slices.DeleteFunc([]string{d.Description, d.Usage, d.Examples}, func(part string) bool { return part == "" })
	return strings.Join(parts, "\n\n")
}
