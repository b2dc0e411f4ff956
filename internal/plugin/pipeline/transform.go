package pipeline

import (
	"context"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Transform runs TransformMessages and returns the messages as the last handler left them. If a handler fails or returns
// messages that a model would reject, Transform returns the input messages. estimate sets Tokens of the messages that a handler
// returned, for the handlers after it. steps holds the messages as each handler left them.
func Transform(
	ctx context.Context, src Source, in sdk.TransformContext, estimate func(sdk.Message) int, report Observer,
) (messages []sdk.Message, steps []hookpoint.Step) {
	out := run(ctx, src, hookpoint.TransformMessages, in, report, func(next any) {
		if c, ok := next.(sdk.TransformContext); ok {
			for i := range c.Messages {
				c.Messages[i].Tokens = estimate(c.Messages[i])
			}
		}
	})
	if out.Messages == nil {
		return in.Messages, nil
	}
	return out.Messages, out.Steps
}
