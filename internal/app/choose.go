package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
)

// chooseProvider takes the provider that was asked for, by the user before the agent, or the only one there is, or what the
// environment offers. Each is made once.
func (a *App) chooseProvider(ctx context.Context, r role) (llm.Provider, string, error) {
	name := cmp.Or(r.provider, r.agent.Model.Provider, a.opts.Provider)
	if name == "" && len(a.cfg.Providers) == 1 {
		name = slices.Collect(maps.Keys(a.cfg.Providers))[0]
	}
	if name == "" && len(a.cfg.Providers) > 1 {
		return nil, "", fmt.Errorf("choosing a provider: there are several: %s; name one with --provider or in an agent", names(a.cfg.Providers))
	}
	if made, ok := a.providers[name]; ok {
		return made.Provider, made.name, nil
	}
	p, known, err := a.makeProvider(ctx, name)
	if err != nil {
		return nil, "", err
	}
	if a.providers == nil {
		a.providers = map[string]namedProvider{}
	}
	a.providers[name] = namedProvider{p, known}
	return p, known, nil
}

// namedProvider is a provider under the name that users know it by.
type namedProvider struct {
	llm.Provider
	name string
}

func (a *App) makeProvider(ctx context.Context, name string) (llm.Provider, string, error) {
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
