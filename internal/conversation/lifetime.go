package conversation

import (
	"context"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Begun calls the plugins that observe the beginning of a session. Resumed sessions were saved before.
func (c *Conversation) Begun(ctx context.Context, resumed bool) {
	c.hook(ctx, hookpoint.SessionStart, func(state sdk.Context) any { return sdk.SessionStartContext{Context: state, Resumed: resumed} })
}

// Ending calls the plugins that observe the end of a session. The context bounds how long they take.
func (c *Conversation) Ending(ctx context.Context, reason string) {
	c.hook(ctx, hookpoint.SessionEnd, func(state sdk.Context) any { return sdk.SessionEndContext{Context: state, Reason: reason} })
}
