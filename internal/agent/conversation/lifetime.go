package conversation

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Begun calls the plugins that observe the start of a session. resumed reports whether the session was saved before.
func (c *Conversation) Begun(ctx context.Context, resumed bool) {
	c.hooks.run(ctx, hookpoint.SessionStart, func(state sdk.Context) any { return sdk.SessionStartContext{Context: state, Resumed: resumed} })
	out := c.hooks.moment(ctx, hookpoint.MomentSessionStart, func(m *hookpoint.Moment) {
		m.Subject = "startup"
		if resumed {
			m.Subject = "resume"
		}
		m.Fields = map[string]any{"source": m.Subject, "agent": m.Agent, "model": m.ModelInfo.Name}
	})
	// A session without a prompt is not worth saving, so the messages wait for the first one.
	c.transcript.hold(queue(hookpoint.MomentSessionStart, out))
}

// Ending calls the plugins that observe the end of a session. ctx limits how long they take.
func (c *Conversation) Ending(ctx context.Context, reason string) {
	c.hooks.run(ctx, hookpoint.SessionEnd, func(state sdk.Context) any { return sdk.SessionEndContext{Context: state, Reason: reason} })
	c.hooks.moment(ctx, hookpoint.MomentSessionEnd, func(m *hookpoint.Moment) {
		m.Subject, m.Fields = reason, map[string]any{"reason": reason}
	})
}

// Observed calls the shell hooks of a moment beside the conversation, such as that the state of a plugin changed. It may be called while a
// prompt is answered.
func (c *Conversation) Observed(ctx context.Context, point hookpoint.Name, subject string, fields map[string]any) {
	c.hooks.moment(ctx, point, func(m *hookpoint.Moment) { m.Subject, m.Fields = subject, fields })
}

// maxContinued is how many times shell hooks may let the agent go on within one prompt.
const maxContinued = 8

// stopping runs the shell hooks at the end of a prompt. It reports whether one of them lets the agent go on. continued is how often that
// happened before, within this prompt.
func (c *Conversation) stopping(ctx context.Context, continued int) bool {
	point := hookpoint.MomentStop
	if c.cfg.Lead != nil {
		point = hookpoint.MomentSubagentStop
	}
	out := c.hooks.moment(ctx, point, func(m *hookpoint.Moment) {
		m.Fields = map[string]any{"continued": continued, "response": c.transcript.lastAnswer()}
		if c.cfg.Lead != nil {
			m.Subject = m.Agent
			m.Fields["agent"] = m.Agent
		}
	})
	decided := out.Decision()
	switch {
	case !decided.Continue:
		return false
	case continued >= maxContinued:
		c.cfg.Emit(event.Notice{Plugin: decided.By, Text: fmt.Sprintf("it let the model go on %d times, which is the limit for one prompt; the prompt ends", maxContinued)})
		return false
	}
	c.transcript.inject(queue(point, out))
	return true
}
