package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/script"
)

// chooseAgent takes the agent that was asked for, by the command line before the task, or the default one. There may be none.
func chooseAgent(c *config.Config, o Options) (config.Agent, error) {
	name := o.Agent
	if name == "" && o.Task != nil {
		name = o.Task.Agent
	}
	if name == "" {
		agent, _ := c.DefaultAgent()
		return agent, nil
	}
	agent, ok := c.Agents[name]
	if !ok {
		return agent, fmt.Errorf("choosing agent %q: there is none of that name; known agents: %s", name, names(c.Agents))
	}
	return agent, nil
}

// chooseProvider takes the provider that was asked for, by the command line before the agent, or the only one there is, or
// the built-in demonstration, which needs nothing.
func (a *App) chooseProvider() (llm.Provider, string, error) {
	name := a.opts.Provider
	if name == "" {
		name = a.agent.Model.Provider
	}
	if name == "" && len(a.cfg.Providers) == 1 {
		name = slices.Collect(maps.Keys(a.cfg.Providers))[0]
	}
	if name == "" && len(a.cfg.Providers) > 1 {
		return nil, "", fmt.Errorf("choosing a provider: there are several: %s; name one with --provider or in an agent", names(a.cfg.Providers))
	}
	if name == "" {
		a.notice("", "no provider is configured, so the built-in demonstration answers; put one into .aura/config/providers/ to change that")
		p, err := script.New(script.Options{})
		return p, "script", err
	}
	chosen, ok := a.cfg.Providers[name]
	if !ok {
		return nil, "", fmt.Errorf("choosing provider %q: there is none of that name; known providers: %s", name, names(a.cfg.Providers))
	}
	if chosen.Type != config.ProviderScript {
		return nil, "", fmt.Errorf("choosing provider %q: providers of type %s are not part of this version of aura; type script is", name, chosen.Type)
	}
	p, err := script.New(script.Options{File: chosen.File})
	return p, name, err
}

// described is a provider whose model is described by the agent where the agent says anything.
type described struct {
	llm.Provider
	by config.AgentModel
}

func (d described) Model(ctx context.Context, name string) (llm.Model, error) {
	m, err := d.Provider.Model(ctx, name)
	if d.by.Context > 0 {
		m.ContextLength = d.by.Context
	}
	if d.by.ParameterCount > 0 {
		m.ParameterCount = d.by.ParameterCount
	}
	if d.by.Family != "" {
		m.Family = d.by.Family
	}
	if len(d.by.Capabilities) > 0 {
		m.Capabilities = d.by.Capabilities
	}
	return m, err
}

func names[T any](m map[string]T) string {
	if len(m) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(m)), ", ")
}
