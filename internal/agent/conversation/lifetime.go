package conversation

import (
	"context"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Begun calls the plugins that observe the start of a session. resumed reports whether the session was saved before.
func (c *Conversation) Begun(ctx context.Context, resumed bool) {
	c.hooks.run(ctx, hookpoint.SessionStart, func(state sdk.Context) any { return sdk.SessionStartContext{Context: state, Resumed: resumed} })
}

// Ending calls the plugins that observe the end of a session. ctx limits how long they take.
func (c *Conversation) Ending(ctx context.Context, reason string) {
	c.hooks.run(ctx, hookpoint.SessionEnd, func(state sdk.Context) any { return sdk.SessionEndContext{Context: state, Reason: reason} })
}
