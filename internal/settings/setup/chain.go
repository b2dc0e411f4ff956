package setup

import (
	"cmp"
	"context"
	"fmt"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/prompt"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/internal/settings/config"
)

// Chain is the fallback chain of a role: the role, followed by the roles that take over, in order, when a provider fails
// permanently.
type Chain struct{ members []member }

// member is one role of a fallback chain, with everything that is known about the role before anything runs.
type member struct {
	source       Source
	role         Role
	features     config.Features
	provider     llm.Provider
	providerName string
	hooks        hooks.Runner
	policy       policy.Policy
}

// NewChain returns the fallback chain of a role.
func (s Source) NewChain(ctx context.Context, r Role) (Chain, error) {
	first, err := s.member(ctx, r)
	if err != nil {
		return Chain{}, err
	}
	out := Chain{members: []member{first}}
	for _, name := range r.Agent.Fallback {
		next, err := FindRole(s.Config, name, r.Mode.Name)
		if err != nil {
			return Chain{}, fmt.Errorf("reading fallback of agent %q (%s): %w", r.Agent.Name, r.Agent.Source.File, err)
		}
		next.Within = r.Within
		m, err := s.member(ctx, next)
		if err != nil {
			return Chain{}, fmt.Errorf("preparing agent %q, a fallback of agent %q: %w", name, r.Agent.Name, err)
		}
		out.members = append(out.members, m)
	}
	return out, nil
}

func (s Source) member(ctx context.Context, r Role) (member, error) {
	m := member{source: s, role: r}
	var err error
	if m.features, err = s.Features(r); err != nil {
		return m, err
	}
	if err := RequireSandbox(m.features); err != nil {
		return m, err
	}
	if m.provider, m.providerName, err = s.provider(ctx, r); err != nil {
		return m, err
	}
	if m.hooks, err = s.HooksOf(r, m.features); err != nil {
		return m, err
	}
	p, err := policy.New(s.policies(r, m.features)...)
	m.policy = p.In(s.Config.Workdir)
	return m, err
}

// provider returns the provider that a role requests.
func (s Source) provider(ctx context.Context, r Role) (llm.Provider, string, error) {
	if s.Options.Script != "" {
		return s.Providers.Script(s.Options.Script)
	}
	return s.Providers.Choose(ctx, cmp.Or(r.Provider, r.Agent.Model.Provider, s.Options.Provider))
}

// ProviderName returns the name of the role's provider.
func (c Chain) ProviderName() string { return c.members[0].providerName }

// ModelName returns the name of the role's model. It asks the provider if the configuration does not name a model. It returns
// an empty string if the name is unknown.
func (c Chain) ModelName(ctx context.Context) string { return c.members[0].modelName(ctx) }

// Hooks returns the shell hooks of the role.
func (c Chain) Hooks() hooks.Runner { return c.members[0].hooks }

// Policy returns the policy of the role.
func (c Chain) Policy() policy.Policy { return c.members[0].policy }

// Tools returns the tools of the role.
func (c Chain) Tools(live Live) (Toolset, error) {
	return c.members[0].tools(c.members[0].confinement(), live)
}

// Persona returns the role with everything that it can do, including its fallbacks.
func (c Chain) Persona(ctx context.Context, live Live) (conversation.Persona, error) {
	var out conversation.Persona
	for i, m := range c.members {
		own, plugins := live, pipeline.Source(nil)
		if i > 0 && live.Under != nil {
			own.Plugins, plugins = live.Under(m.features.Plugins, live.Plugins)
		}
		p, err := m.persona(ctx, own)
		p.Hooks = plugins
		switch {
		case err != nil && i > 0:
			return out, fmt.Errorf("preparing agent %q, a fallback of agent %q: %w", m.role.Agent.Name, c.members[0].role.Agent.Name, err)
		case err != nil:
			return out, err
		case i == 0:
			out = p
		default:
			out.Fallback = append(out.Fallback, p)
		}
	}
	return out, nil
}

// persona returns one member in the form that the conversation uses.
func (m member) persona(ctx context.Context, live Live) (conversation.Persona, error) {
	confined := m.confinement()
	tools, err := m.tools(confined, live)
	if err != nil {
		return conversation.Persona{}, err
	}
	data := m.promptData(ctx)
	data.Sandbox = confined.Display()
	data.Tools, data.Hooks = prompt.Tools{Eager: tools.Offered, Deferred: tools.Deferred}, m.hooks.Prompt()
	system, err := m.systemPrompt(data, live)
	if err != nil {
		return conversation.Persona{}, err
	}
	compaction, err := m.compaction(ctx, data)
	if err != nil {
		return conversation.Persona{}, err
	}
	agent, limits, o := m.role.Agent, m.features.Tools, m.source.Options
	disabled := m.source.disabled(tools.known)
	reportDisabled(live.Plugins, disabled)
	return conversation.Persona{
		Agent: agent.Name, Mode: m.role.Mode.Name, System: system,
		Provider: described{m.provider, agent.Model}, ProviderName: m.providerName, Model: m.model(),
		Tools: tools.Registry, Reader: tools.Reader, ContextLength: agent.Model.Context,
		Think: llm.Think(cmp.Or(string(m.role.Think), string(agent.Model.Think))), Generation: llm.Generation(agent.Model.Generation),
		MaxSteps:     cmp.Or(o.MaxSteps, limits.MaxSteps),
		TokenBudget:  cmp.Or(o.TokenBudget, limits.TokenBudget, -1),
		ResultTokens: cmp.Or(limits.Result.MaxTokens, -1),
		Compaction:   compaction, Guard: guard{source: m.source, policy: m.policy, hooks: m.hooks, role: m.role, entries: live.Entries, effects: m.effects(confined)}, Moments: m.hooks,
		Withhold: m.withhold(tools.conditions, live.Background), Disabled: disabled,
	}, nil
}

func (m member) confinement() Confinement { return m.source.Confinement(m.features) }

// model returns the provider's name for the model; empty for the provider's default.
func (m member) model() string {
	r := m.role
	name := cmp.Or(r.Model, r.Agent.Model.Name)
	if name == "" && r.Agent.Model.Provider == "" {
		name = m.source.Options.Model
	}
	if name == "" && m.source.Options.Script == "" {
		name = m.source.Config.Providers[m.providerName].Model
	}
	return name
}

func (m member) modelName(ctx context.Context) string {
	if name := m.model(); name != "" {
		return name
	}
	// If the service cannot answer, the call of the model will report why.
	described, err := m.provider.Model(ctx, "")
	if err != nil {
		return ""
	}
	return described.Name
}
