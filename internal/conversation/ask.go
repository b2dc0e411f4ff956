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

// maxRetries is how often plugins may have one model call repeated.
const maxRetries = 3

// ask calls the model without the disabled tools. If it fails, plugins may have the call repeated, or have the failure
// passed over: then there is no answer and no error.
func (c *Conversation) ask(ctx context.Context, disabled []string) (response llm.Response, answered bool, err error) {
	defer c.eject()
	for retries := 0; ; retries++ {
		disabled = c.offer(disabled)
		response, err := c.request(ctx)
		if err == nil {
			return response, true, nil
		}
		if ctx.Err() != nil {
			return llm.Response{}, false, interrupted(ctx)
		}
		verdict := c.failed(ctx, err)
		switch {
		case ctx.Err() != nil:
			return llm.Response{}, false, interrupted(ctx)
		case verdict.Retry && retries < maxRetries:
		case verdict.Skip:
			c.unanswered()
			return llm.Response{}, false, nil
		default:
			return llm.Response{}, false, fmt.Errorf("calling model %s: %w", c.modelName(), err)
		}
	}
}

// eject removes the messages that were to be sent once and have been.
func (c *Conversation) eject() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history.eject(c.turn.sent)
}

// offer narrows the tools of this turn and returns all patterns that were applied, those kept for this call included.
func (c *Conversation) offer(disabled []string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	disabled = append(disabled, c.disableNext...)
	c.disableNext = nil
	tools := c.turn.tools
	if tools == nil {
		tools = c.tools
	}
	c.turn.offer(tools, disabled)
	return disabled
}

// request makes one call of the model.
func (c *Conversation) request(ctx context.Context) (llm.Response, error) {
	c.mu.Lock()
	c.ledger.requests++
	c.turn.sent = len(c.history.entries)
	told := event.Request{Number: c.ledger.requests, Iteration: c.turn.iteration, Tools: len(c.turn.offered)}
	messages := c.history.messages(c.turn.system)
	request := llm.Request{Model: c.modelName(), Tools: definitions(c.turn.offered)}
	c.mu.Unlock()

	request.Messages = c.transform(ctx, messages)
	if ctx.Err() != nil {
		return llm.Response{}, interrupted(ctx)
	}
	told.Messages = len(request.Messages)
	c.cfg.Emit(told)
	return c.cfg.Provider.Chat(ctx, request, func(d llm.Delta) { c.cfg.Emit(event.Delta(d)) })
}

// failed asks plugins what to do about a provider's error.
func (c *Conversation) failed(ctx context.Context, err error) sdk.ErrorModification {
	in := sdk.OnErrorContext{Context: c.Context(), Error: err.Error()}
	if class, ok := errors.AsType[*llm.Error](err); ok {
		in.Error, in.ErrorType, in.Retryable = class.Message, class.Type, class.Retryable()
	}
	out := c.hook(ctx, hookpoint.OnError, in)
	c.inject(queue(hookpoint.OnError, out))
	return out.Error
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
