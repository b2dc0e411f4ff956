package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/telemetry"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

const (
	// maxRetries is how many times plugins may repeat one model call.
	maxRetries = 3
	// maxRereads is how many times a call is repeated because its answer could not be parsed.
	maxRereads = 2
)

// answer is the response of a turn's model call.
type answer struct {
	llm.Response
	// span is that of the call; nil if nothing is traced.
	span *telemetry.Span
}

// ask calls the model without the disabled tools. It tries to recover from a failure: it repeats the call if the answer could
// not be parsed, then compacts the history if it was too long, then fails over to another agent. If the failure remains,
// plugins decide: they may repeat the call or ignore the failure. An ignored failure returns neither an answer nor an error.
func (c *Conversation) ask(ctx context.Context, disabled []string) (got answer, answered bool, err error) {
	defer func() { c.called(ctx, answered) }()
	var r rescue
	c.relieve(ctx)
	for retries := 0; ; {
		disabled = c.offer.call(disabled)
		got, err := c.request(ctx)
		if err == nil {
			return got, true, nil
		}
		if c.mend(ctx, &r, err) {
			continue
		}
		verdict := c.failed(ctx, err)
		switch {
		case ctx.Err() != nil:
			return answer{}, false, interrupted(ctx)
		case verdict.Retry && retries < maxRetries:
			retries++
		case verdict.Skip:
			c.turn.responded(llm.Message{})
			return answer{}, false, nil
		default:
			return answer{}, false, fmt.Errorf("calling %s: %w", c.personas.current().title(), c.detach(err))
		}
	}
}

// mend tries to recover from a failure without plugins. It reports whether the call should be repeated.
func (c *Conversation) mend(ctx context.Context, r *rescue, failure error) bool {
	switch {
	case ctx.Err() != nil:
		return false
	case c.shrink(ctx, r, failure):
		return true
	case c.failover(ctx, failure):
		// The new model may have a different context window.
		c.relieve(ctx)
		return true
	default:
		return false
	}
}

// request makes one model call as part of a turn.
func (c *Conversation) request(ctx context.Context) (answer, error) {
	who := c.personas.current()
	messages, sent := c.transcript.request(c.window.system())
	request := llm.Request{
		Model: who.modelName(), Tools: definitions(c.offer.definitions()), Think: who.Think, Generation: who.Generation,
	}

	request.Messages = c.hooks.transform(ctx, messages, c.window.counted)
	if ctx.Err() != nil {
		return answer{}, interrupted(ctx)
	}
	var left []string
	request.Messages, left = who.takeable(request.Messages)
	c.tellLeftOut(who, left)
	c.transcript.sending(sent)
	feed := c.hooks.chunks(ctx)
	defer feed.end(ctx)
	response, span, err := c.call(ctx, who, request, func(d llm.Delta) {
		c.cfg.Emit(event.Delta(d))
		feed.add(sdk.Chunk{Text: d.Text, Thinking: d.Thinking})
	})
	return answer{response, span}, err
}

// call calls a model and repeats the call if its answer cannot be parsed. It also returns the span of the last call.
func (c *Conversation) call(ctx context.Context, who speaker, request llm.Request, onDelta func(llm.Delta)) (llm.Response, *telemetry.Span, error) {
	for rereads := 0; ; rereads++ {
		c.cfg.Emit(event.Request{
			Number: c.ledger.requested(), Iteration: c.turn.get().iteration, Messages: len(request.Messages), Tools: len(request.Tools),
		})
		within, span := telemetry.Chat(ctx, who.traced())
		response, err := who.Provider.Chat(within, request, onDelta)
		if err == nil {
			span.Answer(response.Message.Content, response.StopReason, response.Usage.Input, response.Usage.Output)
		}
		span.End(err, errorClass(err))
		if c.cfg.Tape != nil && ctx.Err() == nil {
			c.cfg.Tape.Answer(response, err)
		}
		class, ok := errors.AsType[*llm.Error](err)
		if !ok || !class.Malformed || rereads == maxRereads || ctx.Err() != nil {
			return response, span, err
		}
		c.ledger.unreadable()
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("the answer of %s could not be read (%v), so it is asked again", who.title(), err)})
	}
}

// failed asks plugins how to handle a provider's error.
func (c *Conversation) failed(ctx context.Context, err error) sdk.ErrorModification {
	out := c.hooks.run(ctx, hookpoint.OnError, func(state sdk.Context) any {
		in := sdk.OnErrorContext{Context: state, Error: err.Error()}
		if class, ok := errors.AsType[*llm.Error](err); ok {
			in.Error, in.ErrorType, in.Retryable = class.Message, class.Type, class.Retryable()
		}
		return in
	})
	c.transcript.inject(queue(hookpoint.OnError, out))
	return out.Error
}

// errorClass returns the type of an error for a trace: that of a provider's error, or else what kind of error it is.
func errorClass(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	default:
		return cmp.Or(classOf(err), "_OTHER")
	}
}

// classOf returns the type of a provider's error, or "" if the error is unclassified.
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

// describe returns the text that a model receives about a tool in addition to its schema.
func describe(d tool.Definition) string {
	parts := slices.DeleteFunc([]string{d.Description, d.Usage, d.Examples}, func(part string) bool { return part == "" })
	return strings.Join(parts, "\n\n")
}
