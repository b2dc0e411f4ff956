package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/sdk"
)

// maxRereads is how many times a call is repeated because its answer could not be parsed.
const maxRereads = 2

// answer is the response of a turn's model call.
type answer struct {
	llm.Response
	// span is that of the call; nil if nothing is traced.
	span *telemetry.Span
}

// caller makes the model calls: those of turns, with what the other parts hold, and those of others, such as for a summary.
type caller struct {
	emit func(event.Event)
	// tape may be nil.
	tape       Tape
	personas   *personas
	transcript *transcript
	offer      *offer
	turn       *turn
	window     *window
	hooks      *hooks
	ledger     *ledger
	// affordable returns an error if a token budget permits no further call.
	affordable func() error

	// toldLeftOut is the title of the model for which the user knows that files of earlier prompts are left out. Only the goroutine
	// of the turn uses it.
	toldLeftOut string
}

// request makes one model call as part of a turn.
func (c *caller) request(ctx context.Context) (answer, error) {
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
		c.emit(event.Delta(d))
		feed.add(sdk.Chunk{Text: d.Text, Thinking: d.Thinking})
	})
	return answer{response, span}, err
}

// call calls a model and repeats the call if its answer cannot be parsed. It also returns the span of the last call.
func (c *caller) call(ctx context.Context, who speaker, request llm.Request, onDelta func(llm.Delta)) (llm.Response, *telemetry.Span, error) {
	for rereads := 0; ; rereads++ {
		c.emit(event.Request{
			Number: c.ledger.requested(), Iteration: c.turn.get().iteration, Messages: len(request.Messages), Tools: len(request.Tools),
		})
		within, span := telemetry.Chat(ctx, who.traced())
		response, err := who.Provider.Chat(within, request, onDelta)
		if err == nil {
			span.Answer(response.Message.Content, response.StopReason, response.Usage.Input, response.Usage.Output)
		}
		span.End(err, errorClass(err))
		if c.tape != nil && ctx.Err() == nil {
			c.tape.Answer(response, err)
		}
		class, ok := errors.AsType[*llm.Error](err)
		if !ok || !class.Malformed || rereads == maxRereads || ctx.Err() != nil {
			return response, span, err
		}
		c.ledger.unreadable()
		c.emit(event.Notice{Text: fmt.Sprintf("the answer of %s could not be read (%v), so it is asked again", who.title(), err)})
	}
}

// ask makes a call for a tool. It is none of the conversation's turns, but is charged like one of them. A tape has the result of the tool.
func (c *caller) ask(ctx context.Context, request llm.Request) (llm.Response, error) {
	who := c.personas.current()
	if err := c.affordable(); err != nil {
		return llm.Response{}, err
	}
	request.Model = who.modelName()
	within, span := telemetry.Chat(ctx, who.traced())
	response, err := who.Provider.Chat(within, request, func(llm.Delta) {})
	if err == nil {
		span.Answer(response.Message.Content, response.StopReason, response.Usage.Input, response.Usage.Output)
		c.charge(who, request, response)
	} else {
		err = fmt.Errorf("asking %s: %w", who.title(), err)
	}
	span.End(err, errorClass(err))
	return response, err
}

// tellLeftOut reports once per model that files of earlier prompts are not sent to the model.
func (c *caller) tellLeftOut(who speaker, left []string) {
	if len(left) == 0 || c.toldLeftOut == who.title() {
		return
	}
	c.toldLeftOut = who.title()
	c.emit(event.Notice{Text: fmt.Sprintf("%s takes no %s, so those of earlier prompts are not sent to it", who.title(), strings.Join(left, " and no "))})
}

// charge counts the tokens of a model call that is not a turn.
func (c *caller) charge(by speaker, request llm.Request, response llm.Response) {
	guess := guessed(c.personas.limited(), response, func() int {
		n := 0
		for _, m := range request.Messages {
			n += estimate(m)
		}
		return n
	})
	c.ledger.charge(by, response, guess)
}

// guessed returns the estimated tokens of a call for which the provider reported no usage. The tokens of its request are estimated
// only if a budget needs them.
func guessed(limited bool, response llm.Response, request func() int) int {
	if !limited || response.Usage != (llm.Usage{}) {
		return 0
	}
	return request() + estimate(response.Message)
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
