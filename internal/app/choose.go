package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
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
// what the environment offers.
func (a *App) chooseProvider(ctx context.Context) (llm.Provider, string, error) {
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
		return a.detectProvider(ctx)
	}
	chosen, ok := a.cfg.Providers[name]
	if !ok {
		return nil, "", fmt.Errorf("choosing provider %q: there is none of that name; known providers: %s", name, names(a.cfg.Providers))
	}
	p, err := a.backend(chosen)
	if err != nil {
		return nil, "", fmt.Errorf("choosing provider %q: %w", name, err)
	}
	return p, name, nil
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
