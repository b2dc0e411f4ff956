package conversation

import (
	"context"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// Persona returns the persona that answers the next prompt.
func (c *Conversation) Persona() Persona { return c.personas.next() }

// ModelName returns the name of the model as the provider reports it; empty if the provider reports none. Unlike Context, it counts no
// tokens.
func (c *Conversation) ModelName() string { return c.personas.current().info().Name }

// ThinkMode returns how much the present model thinks, as in Context.
func (c *Conversation) ThinkMode() string { return c.personas.current().thinkMode() }

// Prepare checks a persona and describes its model. It does not change the conversation.
func (c *Conversation) Prepare(ctx context.Context, p Persona) (Ready, error) {
	return c.personas.prepare(ctx, p)
}

// Switch makes another persona answer, for one of the SDK's reasons. A running turn keeps its persona; in that case, the switch
// is made before the next turn. Plugins are notified if the agent changes. A change of only the mode or the model just emits an
// event.
func (c *Conversation) Switch(ctx context.Context, to Ready, reason string) {
	c.personas.request(change{to: to, reason: reason})
	if c.claim() != nil {
		// The goroutine that has claimed the conversation makes the switch.
		return
	}
	defer c.release()
	c.settleSwitches(ctx)
}

// settleSwitches makes the pending switches. Once ctx is done, they stay pending. The caller must have claimed the
// conversation.
func (c *Conversation) settleSwitches(ctx context.Context) {
	for ctx.Err() == nil {
		next, ok := c.personas.nextSwitch()
		if !ok {
			return
		}
		c.replace(ctx, next.to, next.reason)
	}
}

// Renew replaces the persona with a new version of itself, after its settings changed. It emits no event. A running turn keeps
// its persona.
func (c *Conversation) Renew(ctx context.Context, to Ready) { c.Switch(ctx, to, "") }

// replace makes a persona answer immediately, including the rest of a turn. It emits no event if reason is empty.
func (c *Conversation) replace(ctx context.Context, to Ready, reason string) {
	next := to.speaker
	c.mu.Lock()
	before := c.personas.replace(next)
	c.shortener.reset()
	if before.ProviderName != next.ProviderName {
		c.transcript.unsign()
	}
	c.offer.arm(next.Tools)
	c.mu.Unlock()
	if reason == "" {
		return
	}
	c.cfg.Emit(event.AgentSwitch{
		Previous: before.Agent, Agent: next.Agent, Mode: next.Mode, Provider: next.ProviderName, Model: next.modelName(), Reason: reason,
	})
	c.tellSwitch(ctx, before.Agent, next.Agent, reason)
}

// Announce reports to plugins and the user that the persona replaces a previous agent. It is for a conversation that starts
// with a different agent than usual.
func (c *Conversation) Announce(ctx context.Context, previous, reason string) {
	who := c.personas.current()
	c.cfg.Emit(event.AgentSwitch{
		Previous: previous, Agent: who.Agent, Mode: who.Mode, Provider: who.ProviderName, Model: who.modelName(), Reason: reason,
	})
	c.tellSwitch(ctx, previous, who.Agent, reason)
}

// tellSwitch notifies plugins if the agent changed.
func (c *Conversation) tellSwitch(ctx context.Context, previous, agent, reason string) {
	if previous != agent {
		c.hooks.run(ctx, hookpoint.OnAgentSwitch, func(state sdk.Context) any {
			return sdk.OnAgentSwitchContext{Context: state, PreviousAgent: previous, NewAgent: agent, Reason: reason}
		})
	}
}

// lasting lists the failures that another agent may avoid: all except those caused by the conversation itself.
var lasting = []string{
	sdk.ErrorTypeNetwork, sdk.ErrorTypeAuth, sdk.ErrorTypeRateLimit, sdk.ErrorTypeCreditExhausted, sdk.ErrorTypeModelUnavailable,
	sdk.ErrorTypeServer,
}

// failover switches to the next fallback agent whose model takes the files of the prompt. It reports whether there is one.
func (c *Conversation) failover(ctx context.Context, failure error) bool {
	who := c.personas.current()
	if !slices.Contains(lasting, classOf(failure)) {
		return false
	}
	for i, next := range who.Fallback {
		next.Fallback = slices.Concat(who.Fallback[i+1:], next.Fallback)
		ready, err := c.personas.prepare(ctx, next)
		if err != nil {
			return false
		}
		if reason := ready.speaker.refuses(c.transcript.promptParts()); reason != "" {
			c.cfg.Emit(event.Notice{Text: fmt.Sprintf("agent %q failed (%v), and agent %q cannot take over: the prompt has attachments, and %s", who.Agent, failure, next.Agent, reason)})
			continue
		}
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("agent %q failed (%v), so agent %q takes over", who.Agent, failure, next.Agent)})
		c.replace(ctx, ready, sdk.SwitchReasonFailover)
		return true
	}
	return false
}
