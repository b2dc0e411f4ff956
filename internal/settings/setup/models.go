package setup

import (
	"context"
	"errors"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// Models implements llm.Lister. It applies the timeout of a single request.
func (b bounded) Models(ctx context.Context) ([]llm.Model, error) {
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	return ListModels(limited, b.Provider)
}

// Models implements llm.Lister.
func (c credentialed) Models(ctx context.Context) ([]llm.Model, error) {
	all, err := ListModels(ctx, c.Provider)
	return all, c.explain(err)
}

// Models implements llm.Lister. It omits the models that the configuration excludes.
func (o offering) Models(ctx context.Context) ([]llm.Model, error) {
	all, err := ListModels(ctx, o.Provider)
	return slices.DeleteFunc(all, func(m llm.Model) bool { return excluded(o.models, m.Name) }), err
}

// excluded reports whether the configuration excludes a model of a provider.
func excluded(m config.Models, name string) bool {
	return len(m.Include) > 0 && !tool.Match(m.Include, name) || tool.Match(m.Exclude, name)
}

// Excludes reports whether the configuration excludes a model from the provider of the role. A service may serve models that it does not
// list, so its list excludes nothing.
func (c Chain) Excludes(model string) bool {
	first := c.members[0]
	return excluded(first.source.Config.Providers[first.providerName].Models, model)
}

// ListModels returns the models of a provider.
func ListModels(ctx context.Context, p llm.Provider) ([]llm.Model, error) {
	lister, ok := p.(llm.Lister)
	if !ok {
		return nil, errors.New("the provider cannot tell which models there are")
	}
	return lister.Models(ctx)
}
