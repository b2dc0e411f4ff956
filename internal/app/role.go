package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/prompt"
)

// role is who answers, as the configuration and the user have it: an agent in a mode, and what the user wants otherwise than
// the agent has it. It is a value.
type role struct {
	// agent and mode have no name where none is chosen.
	agent config.Agent
	mode  config.Mode
	// provider, model, system (the name of a prompt) and think go before the agent's own if they are not empty.
	provider, model, system string
	think                   llm.Think
}

// findRole is an agent in a mode, by their names; an empty name is none.
func findRole(c *config.Config, agent, mode string) (role, error) {
	var (
		r  role
		ok bool
	)
	if agent != "" {
		if r.agent, ok = c.Agents[agent]; !ok {
			return role{}, fmt.Errorf("choosing agent %q: there is none of that name; known agents: %s", agent, names(c.Agents))
		}
	}
	if mode = cmp.Or(mode, r.agent.Mode); mode != "" {
		if r.mode, ok = c.Modes[mode]; !ok {
			return role{}, fmt.Errorf("choosing mode %q: there is none of that name; known modes: %s", mode, names(c.Modes))
		}
	}
	return r, nil
}

// firstRole is who a session begins with: what the command line says goes before the task, and that before the default.
func (a *App) firstRole(saved string) (role, error) {
	var task config.Task
	if a.opts.Task != nil {
		task = *a.opts.Task
	}
	usual, _ := a.cfg.DefaultAgent()
	r, err := findRole(a.cfg, cmp.Or(a.opts.Agent, task.Agent, saved, usual.Name), cmp.Or(a.opts.Mode, task.Mode))
	r.provider, r.model, r.system, r.think = a.opts.Provider, a.opts.Model, a.opts.System, a.opts.Think
	return r, err
}

// persona puts a role together with everything that it can do.
func (a *App) persona(ctx context.Context, r role) (conversation.Persona, error) {
	p, err := a.lonePersona(ctx, r)
	if err != nil {
		return p, err
	}
	for _, name := range r.agent.Fallback {
		next, err := findRole(a.cfg, name, r.mode.Name)
		if err != nil {
			return p, fmt.Errorf("reading fallback of agent %q (%s): %w", r.agent.Name, r.agent.Source.File, err)
		}
		other, err := a.lonePersona(ctx, next)
		if err != nil {
			return p, fmt.Errorf("preparing agent %q, a fallback of agent %q: %w", name, r.agent.Name, err)
		}
		p.Fallback = append(p.Fallback, other)
	}
	return p, nil
}

// lonePersona is a persona whom nobody stands in for.
func (a *App) lonePersona(ctx context.Context, r role) (conversation.Persona, error) {
	features, err := a.cfg.FeaturesFor(r.agent, r.mode, a.opts.Task)
	if err != nil {
		return conversation.Persona{}, err
	}
	provider, name, err := a.chooseProvider(ctx, r)
	if err != nil {
		return conversation.Persona{}, err
	}
	kit, err := a.kit(r, features)
	if err != nil {
		return conversation.Persona{}, err
	}
	if kit.hooks, err = a.hooks(r); err != nil {
		return conversation.Persona{}, err
	}
	system, err := a.systemPrompt(r, name, kit)
	if err != nil {
		return conversation.Persona{}, err
	}
	guard, err := a.guard(r, features, kit.hooks)
	if err != nil {
		return conversation.Persona{}, err
	}
	compaction, err := a.compaction(ctx, features.Compaction)
	if err != nil {
		return conversation.Persona{}, err
	}
	return conversation.Persona{
		Agent: r.agent.Name, Mode: r.mode.Name, System: system,
		Provider: described{provider, r.agent.Model}, ProviderName: name, Model: a.modelOf(r),
		Tools: kit.tools, ContextLength: r.agent.Model.Context,
		Think: llm.Think(cmp.Or(string(r.think), string(r.agent.Model.Think))), Generation: llm.Generation(r.agent.Model.Generation),
		MaxSteps:     cmp.Or(a.opts.MaxSteps, features.Tools.MaxSteps),
		TokenBudget:  cmp.Or(a.opts.TokenBudget, features.Tools.TokenBudget, -1),
		ResultTokens: cmp.Or(features.Tools.Result.MaxTokens, -1),
		Compaction:   compaction, Guard: guard, Withhold: a.withhold(kit.conditions),
	}, nil
}

// modelOf is the provider's name for a role's model; empty for its default.
func (a *App) modelOf(r role) string {
	if r.model != "" || r.agent.Model.Name != "" || r.agent.Model.Provider != "" {
		return cmp.Or(r.model, r.agent.Model.Name)
	}
	return a.opts.Model
}

// systemPrompt renders what the agent, its named prompt and its mode say, one below the other.
func (a *App) systemPrompt(r role, provider string, kit kit) (string, error) {
	data := prompt.Data{
		Agent: r.agent.Name, Mode: r.mode.Name, Provider: provider, Model: a.modelOf(r), Workdir: a.cfg.Workdir, Vars: a.vars,
		Tools: prompt.Tools{Eager: kit.names, Deferred: kit.deferred}, Hooks: kit.hooks.Prompt(),
	}
	type part struct{ name, body string }
	parts := []part{{"agent " + r.agent.Name, r.agent.Prompt}, {"mode " + r.mode.Name, r.mode.Prompt}}
	if name := cmp.Or(r.system, r.agent.System); name != "" {
		named, ok := a.cfg.Prompts[name]
		if !ok {
			return "", fmt.Errorf("choosing prompt %q: there is none of that name; known prompts: %s", name, names(a.cfg.Prompts))
		}
		parts = slices.Insert(parts, 0, part{name, named.Body})
	}
	var out []string
	for _, p := range parts {
		text, err := prompt.Render(p.name, p.body, data)
		if err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n\n"), nil
}

// compaction says when and by whom a long history is summarised.
func (a *App) compaction(ctx context.Context, c config.Compaction) (*conversation.Compaction, error) {
	out := &conversation.Compaction{Threshold: c.Threshold, MaxTokens: c.MaxTokens, KeepLast: cmp.Or(c.KeepLastMessages, -1)}
	if c.Prompt != "" {
		text, err := prompt.Render(c.Prompt, a.cfg.Prompts[c.Prompt].Body, prompt.Data{Workdir: a.cfg.Workdir, Vars: a.vars})
		if err != nil {
			return nil, err
		}
		out.Prompt = text
	}
	if c.Agent == "" {
		return out, nil
	}
	r, err := findRole(a.cfg, c.Agent, "")
	if err != nil {
		return nil, err
	}
	provider, name, err := a.chooseProvider(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("preparing agent %q, which summarises: %w", c.Agent, err)
	}
	system, err := a.systemPrompt(r, name, kit{})
	if err != nil {
		return nil, err
	}
	out.By = &conversation.Persona{
		Agent: c.Agent, System: system, Provider: described{provider, r.agent.Model}, ProviderName: name, Model: a.modelOf(r),
		ContextLength: r.agent.Model.Context, Generation: llm.Generation(r.agent.Model.Generation),
	}
	return out, nil
}
