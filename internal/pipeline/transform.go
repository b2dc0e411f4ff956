package pipeline

import (
	"context"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Transform runs TransformMessages and returns what the last handler made of the messages. If a handler fails or returns messages
// that no model would take, the messages are returned as they came in. The estimate fills in Tokens of what a handler returned,
// for the handlers after it.
func Transform(
	ctx context.Context, src Source, in sdk.TransformContext, estimate func(sdk.Message) int, report Report,
) []sdk.Message {
	out := run(ctx, src, hookpoint.TransformMessages, in, report, func(next any) {
		if c, ok := next.(sdk.TransformContext); ok {
			for i := range c.Messages {
				c.Messages[i].Tokens = estimate(c.Messages[i])
			}
		}
	})
	if out.Messages == nil {
		return in.Messages
	}
	return out.Messages
}
