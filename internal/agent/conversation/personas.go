package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/tool"
)

// personas knows who answers: the current persona, the switches that are pending while a turn runs, and the limits in force.
type personas struct {
	emit func(event.Event)
	// first supplies the limits that a later persona does not set.
	first Persona
	// lead holds the personas of the conversation that leads this one; nil if none does.
	lead *personas

	mu sync.Mutex
	// who answers now.
	who speaker
	// waiting holds the switches that were requested while a turn runs, in order.
	waiting []change
}

// change is a pending switch to another persona.
type change struct {
	to     Ready
	reason string
}

// Ready is a persona that was checked and whose model was described, so that it can answer.
type Ready struct{ speaker speaker }

// current returns who answers now.
func (p *personas) current() speaker {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.who
}

// next returns the persona that answers the next prompt.
func (p *personas) next() Persona {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.waiting); n > 0 {
		return p.waiting[n-1].to.speaker.Persona
	}
	return p.who.Persona
}

// replace makes another persona answer, and returns the one before.
func (p *personas) replace(next speaker) (before speaker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, p.who = p.who, next
	return before
}

// setTools replaces the tools of the current persona, and of the one that answers the next prompt.
func (p *personas) setTools(tools *tool.Registry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who.Tools = tools
	if n := len(p.waiting); n > 0 {
		p.waiting[n-1].to.speaker.Tools = tools
	}
}

// request adds a pending switch.
func (p *personas) request(c change) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = append(p.waiting, c)
}

// nextSwitch removes the oldest pending switch and returns it, if there is one.
func (p *personas) nextSwitch() (next change, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) == 0 {
		return change{}, false
	}
	next = p.waiting[0]
	p.waiting = slices.Delete(p.waiting, 0, 1)
	return next, true
}

// prepare checks a persona and describes its model. It changes nothing.
func (p *personas) prepare(ctx context.Context, to Persona) (Ready, error) {
	if err := to.check(); err != nil {
		return Ready{}, fmt.Errorf("preparing agent %q: %w", to.Agent, err)
	}
	who, err := p.describe(ctx, to)
	return Ready{who}, err
}

// describe asks the provider about a persona's model. If the provider returns an error, the model stays unresolved and is asked
// for again before the next interaction. If the problem persists, the model call will report it.
func (p *personas) describe(ctx context.Context, to Persona) (speaker, error) {
	model, err := to.Provider.Model(ctx, to.Model)
	if ctx.Err() != nil {
		return speaker{Persona: to}, interrupted(ctx)
	}
	if err != nil {
		p.emit(event.Notice{Text: fmt.Sprintf("describing the model: %v", err)})
		return speaker{Persona: to}, nil
	}
	return speaker{Persona: to, model: model}, nil
}

// resolve describes the current persona's model again if it is not resolved yet.
func (p *personas) resolve(ctx context.Context) error {
	who := p.current()
	if who.model.Name != "" {
		return nil
	}
	described, err := p.describe(ctx, who.Persona)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.who.model = described.model
	return nil
}

// maxSteps returns the largest number of turns in one interaction.
func (p *personas) maxSteps() int {
	if own := p.current().MaxSteps; own > 0 {
		return own
	}
	return p.first.MaxSteps
}

// budget returns how many tokens the session may use. There is no limit if it is not positive.
func (p *personas) budget() int { return cmp.Or(p.current().TokenBudget, p.first.TokenBudget) }

// limited reports whether a token budget applies: that of the session, or that of the conversation that leads it.
func (p *personas) limited() bool { return p.budget() > 0 || p.lead != nil && p.lead.limited() }

// resultTokens returns how many tokens of a tool result the model receives. There is no limit if it is not positive.
func (p *personas) resultTokens() int { return cmp.Or(p.current().ResultTokens, p.first.ResultTokens) }

// compaction returns the settings in force.
func (p *personas) compaction() Compaction {
	for _, settings := range []*Compaction{p.current().Compaction, p.first.Compaction} {
		if settings != nil {
			return *settings
		}
	}
	return Compaction{}
}
