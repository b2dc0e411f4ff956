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
	"github.com/idelchi/aura/internal/session"
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
	// within is the mode of the session, for an agent that works on behalf of another: what the mode forbids, it does not do.
	within config.Mode
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

// firstRole is who a session begins with: what the command line says goes before the task, that before what a saved session
// had, and that before the default.
func (a *App) firstRole(saved session.Session) (role, error) {
	var task config.Task
	if a.opts.Task != nil {
		task = *a.opts.Task
	}
	usual, _ := a.cfg.DefaultAgent()
	before := a.savedAgent(cmp.Or(saved.State.Agent, saved.Meta.Agent))
	mode := cmp.Or(a.opts.Mode, task.Mode)
	resumes := saved.Noted && cmp.Or(a.opts.Agent, task.Agent, before) == before && mode == ""
	if _, ok := a.cfg.Modes[saved.State.Mode]; resumes && ok {
		mode = saved.State.Mode
	}
	r, err := findRole(a.cfg, cmp.Or(a.opts.Agent, task.Agent, before, usual.Name), mode)
	if resumes && saved.State.Mode == "" {
		r.mode = config.Mode{}
	}
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
		next.within = r.within
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
	data := a.promptData(ctx, r, provider, name)
	data.Tools, data.Hooks = prompt.Tools{Eager: kit.names, Deferred: kit.deferred}, kit.hooks.Prompt()
	system, err := a.systemPrompt(r, data)
	if err != nil {
		return conversation.Persona{}, err
	}
	guard, err := a.guard(r, features, kit.hooks)
	if err != nil {
		return conversation.Persona{}, err
	}
	compaction, err := a.compaction(ctx, features.Compaction, data)
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

// promptData is what the templates of a role can speak of, but for its tools.
func (a *App) promptData(ctx context.Context, r role, provider llm.Provider, name string) prompt.Data {
	data := prompt.Data{
		Agent: r.agent.Name, Mode: r.mode.Name, Provider: name, Model: a.modelOf(r), Workdir: a.cfg.Workdir, Vars: a.vars,
	}
	if data.Model == "" {
		// If the service cannot say, the call of the model will tell why.
		if m, err := provider.Model(ctx, ""); err == nil {
			data.Model = m.Name
		}
	}
	features, err := a.cfg.FeaturesFor(r.agent, r.mode, a.opts.Task)
	if err == nil {
		data.Sandbox = a.cell(features).display()
	}
	return data
}

// systemPrompt renders what the named prompt, the agent and the mode say, one below the other.
func (a *App) systemPrompt(r role, data prompt.Data) (string, error) {
	parts := []prompt.Template{
		{Name: "agent " + r.agent.Name, Body: r.agent.Prompt, File: r.agent.PromptAt.File, Line: r.agent.PromptAt.Line},
		{Name: "mode " + r.mode.Name, Body: r.mode.Prompt, File: r.mode.PromptAt.File, Line: r.mode.PromptAt.Line},
	}
	if name := cmp.Or(r.system, r.agent.System); name != "" {
		named, err := a.namedPrompt(name)
		if err != nil {
			return "", err
		}
		parts = slices.Insert(parts, 0, named)
	}
	var out []string
	for _, p := range parts {
		text, err := p.Render(data)
		if err != nil {
			return "", err
		}
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n\n"), nil
}

func (a *App) namedPrompt(name string) (prompt.Template, error) {
	named, ok := a.cfg.Prompts[name]
	if !ok {
		return prompt.Template{}, fmt.Errorf("choosing prompt %q: there is none of that name; known prompts: %s", name, names(a.cfg.Prompts))
	}
	return prompt.Template{Name: name, Body: named.Body, File: named.BodyAt.File, Line: named.BodyAt.Line}, nil
}

// compaction says when and by whom a long history is summarised. The data is that of the role whose history it is; if another
// agent summarises, its prompt speaks of that one.
func (a *App) compaction(ctx context.Context, c config.Compaction, data prompt.Data) (*conversation.Compaction, error) {
	out := &conversation.Compaction{Threshold: c.Threshold, MaxTokens: c.MaxTokens, KeepLast: cmp.Or(c.KeepLastMessages, -1)}
	if c.Agent != "" {
		r, err := findRole(a.cfg, c.Agent, "")
		if err != nil {
			return nil, err
		}
		provider, name, err := a.chooseProvider(ctx, r)
		if err != nil {
			return nil, fmt.Errorf("preparing agent %q, which summarises: %w", c.Agent, err)
		}
		data = a.promptData(ctx, r, provider, name)
		system, err := a.systemPrompt(r, data)
		if err != nil {
			return nil, err
		}
		out.By = &conversation.Persona{
			Agent: c.Agent, System: system, Provider: described{provider, r.agent.Model}, ProviderName: name, Model: a.modelOf(r),
			ContextLength: r.agent.Model.Context, Generation: llm.Generation(r.agent.Model.Generation),
		}
	}
	if c.Prompt != "" {
		named, err := a.namedPrompt(c.Prompt)
		if err != nil {
			return nil, err
		}
		if out.Prompt, err = named.Render(data); err != nil {
			return nil, err
		}
	}
	return out, nil
}
