package conversation

import (
	"context"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/sdk"
)

// change is a switch that waits for its turn.
type change struct {
	to     Ready
	reason string
}

// Persona returns who answers the next prompt.
func (c *Conversation) Persona() Persona {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.waiting); n > 0 {
		return c.waiting[n-1].to.speaker.Persona
	}
	return c.who.Persona
}

func (c *Conversation) speaker() speaker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.who
}

// Ready is a persona that was checked and whose model was asked about: nothing keeps it from answering.
type Ready struct{ speaker speaker }

// Prepare makes a persona ready, and changes nothing.
func (c *Conversation) Prepare(ctx context.Context, p Persona) (Ready, error) {
	if err := p.check(); err != nil {
		return Ready{}, fmt.Errorf("preparing agent %q: %w", p.Agent, err)
	}
	who, err := c.describe(ctx, p)
	return Ready{who}, err
}

// Switch makes another persona answer, for one of the SDK's reasons. A turn that runs keeps the one it has: then the switch
// is made before the next turn. Plugins are told if the agent is another one; a change of mode or model alone is only an
// event.
func (c *Conversation) Switch(ctx context.Context, to Ready, reason string) {
	c.mu.Lock()
	c.waiting = append(c.waiting, change{to: to, reason: reason})
	c.mu.Unlock()
	if c.claim() != nil {
		// Whoever has claimed the conversation makes the switch.
		return
	}
	defer c.release()
	c.settleSwitches(ctx)
}

// settleSwitches makes the switches that were asked for meanwhile. Once ctx is done, they go on waiting. The conversation is the
// caller's.
func (c *Conversation) settleSwitches(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		if len(c.waiting) == 0 {
			c.mu.Unlock()
			return
		}
		next := c.waiting[0]
		c.waiting = slices.Delete(c.waiting, 0, 1)
		c.mu.Unlock()
		c.replace(ctx, next.to, next.reason)
	}
}

// Renew replaces the persona by another version of itself, after its settings changed. No event reports it. A turn that
// runs keeps the one it has.
func (c *Conversation) Renew(ctx context.Context, to Ready) { c.Switch(ctx, to, "") }

// replace makes a persona answer from here on, the rest of a turn included. Without a reason no event reports it.
func (c *Conversation) replace(ctx context.Context, to Ready, reason string) {
	next := to.speaker
	c.mu.Lock()
	before := c.who
	c.who, c.compactFrom = next, 0
	if before.ProviderName != next.ProviderName {
		c.history.unsign()
	}
	c.turn.tools = next.Tools
	c.present(c.disableNext)
	c.mu.Unlock()
	if reason == "" {
		return
	}
	c.cfg.Emit(event.AgentSwitch{
		Previous: before.Agent, Agent: next.Agent, Mode: next.Mode, Provider: next.ProviderName, Model: next.modelName(), Reason: reason,
	})
	c.tellSwitch(ctx, before.Agent, next.Agent, reason)
}

// Announce tells plugins and the user that the persona answers from here on in the place of a previous agent. It is for a
// conversation that begins with another agent than usual.
func (c *Conversation) Announce(ctx context.Context, previous, reason string) {
	who := c.speaker()
	c.cfg.Emit(event.AgentSwitch{
		Previous: previous, Agent: who.Agent, Mode: who.Mode, Provider: who.ProviderName, Model: who.modelName(), Reason: reason,
	})
	c.tellSwitch(ctx, previous, who.Agent, reason)
}

// tellSwitch tells plugins, if the agent is another one.
func (c *Conversation) tellSwitch(ctx context.Context, previous, agent, reason string) {
	if previous != agent {
		c.hook(ctx, hookpoint.OnAgentSwitch, func(state sdk.Context) any {
			return sdk.OnAgentSwitchContext{Context: state, PreviousAgent: previous, NewAgent: agent, Reason: reason}
		})
	}
}

// describe asks what a persona's model is like. A provider that cannot tell leaves it unresolved, to be asked again before
// the next interaction: if something is wrong, the call of the model will say so.
func (c *Conversation) describe(ctx context.Context, p Persona) (speaker, error) {
	model, err := p.Provider.Model(ctx, p.Model)
	if ctx.Err() != nil {
		return speaker{Persona: p}, interrupted(ctx)
	}
	if err != nil {
		c.cfg.Emit(event.Notice{Text: fmt.Sprintf("describing the model: %v", err)})
		return speaker{Persona: p}, nil
	}
	return speaker{Persona: p, model: model}, nil
}

// resolve asks again what the model is like, if that is not known.
func (c *Conversation) resolve(ctx context.Context) error {
	who := c.speaker()
	if who.model.Name != "" {
		return nil
	}
	described, err := c.describe(ctx, who.Persona)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.who.model = described.model
	return nil
}

// lasting are the failures that another agent may not have: all but those that lie in the conversation itself.
var lasting = []string{
	sdk.ErrorTypeNetwork, sdk.ErrorTypeAuth, sdk.ErrorTypeRateLimit, sdk.ErrorTypeCreditExhausted, sdk.ErrorTypeModelUnavailable,
	sdk.ErrorTypeServer,
}

// failover hands the turn to the next agent in line. It reports whether there is one.
func (c *Conversation) failover(ctx context.Context, failure error) bool {
	who := c.speaker()
	if !slices.Contains(lasting, classOf(failure)) || len(who.Fallback) == 0 {
		return false
	}
	next := who.Fallback[0]
	next.Fallback = slices.Concat(who.Fallback[1:], next.Fallback)
	c.cfg.Emit(event.Notice{Text: fmt.Sprintf("agent %q failed (%v), so agent %q takes over", who.Agent, failure, next.Agent)})
	ready, err := c.Prepare(ctx, next)
	if err != nil {
		return false
	}
	c.replace(ctx, ready, sdk.SwitchReasonFailover)
	return true
}
