package setup

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/settings/config"
)

// Providers creates the providers of a configuration, each once. Its methods may be called from several goroutines.
type Providers struct {
	config  *config.Config
	secrets *redact.Current
	notify  func(text string)

	mu   sync.Mutex
	made map[string]namedProvider
}

// namedProvider is a provider with its name in the configuration.
type namedProvider struct {
	llm.Provider
	name string
}

// NewProviders returns the providers of a configuration. Secrets are removed from recorded answers. notify receives notices.
func NewProviders(c *config.Config, secrets *redact.Current, notify func(text string)) *Providers {
	return &Providers{config: c, secrets: secrets, notify: notify, made: map[string]namedProvider{}}
}

// For returns the providers of another version of the configuration. It reuses the providers whose configuration is the same in
// both.
func (p *Providers) For(next *config.Config) *Providers {
	out := NewProviders(next, p.secrets, p.notify)
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(out.made, p.made)
	maps.DeleteFunc(out.made, func(name string, _ namedProvider) bool {
		if name == "" {
			return len(next.Providers) > 0
		}
		return !reflect.DeepEqual(p.config.Providers[name], next.Providers[name])
	})
	return out
}

// Choose returns the provider with that name. Without a name, it returns the only configured provider, or a provider detected
// from the environment.
func (p *Providers) Choose(ctx context.Context, name string) (llm.Provider, string, error) {
	if name == "" && len(p.config.Providers) == 1 {
		name = slices.Collect(maps.Keys(p.config.Providers))[0]
	}
	if name == "" && len(p.config.Providers) > 1 {
		return nil, "", fmt.Errorf("choosing a provider: there are several: %s; name one with --provider or in an agent", Names(p.config.Providers))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if made, ok := p.made[name]; ok {
		return made.Provider, made.name, nil
	}
	made, known, err := p.find(ctx, name)
	if err != nil {
		return nil, "", err
	}
	p.made[name] = namedProvider{made, known}
	return made, known, nil
}

// Script returns a provider that plays a file. All roles share it, so that the next answer is the same whoever asks.
func (p *Providers) Script(file string) (llm.Provider, string, error) {
	const key = "\x00script" // no provider of a configuration has this name
	p.mu.Lock()
	defer p.mu.Unlock()
	if made, ok := p.made[key]; ok {
		return made.Provider, made.name, nil
	}
	if err := permitScript(p.config.Machine); err != nil {
		return nil, "", err
	}
	made, err := script.New(script.Options{File: file})
	if err != nil {
		return nil, "", err
	}
	p.made[key] = namedProvider{made, string(config.ProviderScript)}
	return made, string(config.ProviderScript), nil
}

func (p *Providers) find(ctx context.Context, name string) (llm.Provider, string, error) {
	if name == "" {
		return p.detected(ctx)
	}
	chosen, ok := p.Named(name)
	if !ok {
		return nil, "", fmt.Errorf("choosing provider %q: it does not exist; known providers: %s", name, Names(p.config.Providers))
	}
	made, err := p.Make(chosen)
	if err != nil {
		return nil, "", fmt.Errorf("choosing provider %q: %w", name, err)
	}
	return made, name, nil
}

// detected returns a provider that needs no configuration, and tells the user which one that is.
func (p *Providers) detected(ctx context.Context) (llm.Provider, string, error) {
	found, err := p.Detect(ctx)
	if err != nil {
		return nil, "", err
	}
	made, err := p.Make(found.Provider)
	if found.Name != "" {
		return made, found.Name, err // the demonstration, which introduces itself
	}
	p.announce(found)
	return made, string(found.Type), err
}

// described is a provider whose description of a model is overridden by the settings of the agent.
type described struct {
	llm.Provider
	by config.AgentModel
}

// Models implements llm.Lister.
func (d described) Models(ctx context.Context) ([]llm.Model, error) {
	return ListModels(ctx, d.Provider)
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
