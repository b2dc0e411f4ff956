package conversation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// maxRetries is how many times plugins may repeat one model call.
const maxRetries = 3

// ask calls the model without the disabled tools. It tries to recover from a failure: it repeats the call if the answer could
// not be parsed, then compacts the history if it was too long, then fails over to another agent. If the failure remains,
// plugins decide: they may repeat the call or ignore the failure. An ignored failure returns neither an answer nor an error.
func (c *Conversation) ask(ctx context.Context, disabled []string) (got answer, answered bool, err error) {
	defer func() { c.called(ctx, answered) }()
	var r rescue
	c.shortener.relieve(ctx)
	for retries := 0; ; {
		disabled = c.offer.call(disabled)
		got, err := c.caller.request(ctx)
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
	case c.shortener.rescue(ctx, r, failure):
		return true
	case c.failover(ctx, failure):
		// The new model may have a different context window.
		c.shortener.relieve(ctx)
		return true
	default:
		return false
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

// rejects lists the classes of failures with which a service rejects a file, such as an image that is damaged or has too many
// pixels.
var rejects = []string{"", sdk.ErrorTypeContextExhausted}

// detach removes the files that the model has not seen yet from the history and the journal if the service may have rejected the request
// because of them. Otherwise it would reject every further request too. It returns the failure, with a note if it removed files.
func (c *Conversation) detach(failure error) error {
	class, ok := errors.AsType[*llm.Error](failure)
	if !ok || class.Malformed || !slices.Contains(rejects, class.Type) {
		return failure
	}
	if !c.transcript.detach() {
		return failure
	}
	return fmt.Errorf("%w (the files of the prompt are removed from the conversation; attach them again if they are not the cause)", failure)
}
