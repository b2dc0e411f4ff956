package setup

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
)

// Models implements llm.Lister. It applies the timeout of a single request.
func (b bounded) Models(ctx context.Context) ([]llm.Model, error) {
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	return ListModels(limited, b.Provider)
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

// offersPatience is how long a service may take to list its models. After that, Offers trusts the name that the user gave.
const offersPatience = 3 * time.Second

// Offers reports whether the provider of the role has a model with that name: the configuration does not exclude it, and the
// service lists it or cannot list its models. A service lists full names but accepts short ones, such as names without a date
// or a tag.
func (c Chain) Offers(ctx context.Context, model string) bool {
	first := c.members[0]
	configured := first.source.Config.Providers[first.providerName]
	if excluded(configured.Models, model) {
		return false
	}
	// A detected provider, which is not configured, is named after its type.
	if cmp.Or(configured.Type, config.ProviderType(first.providerName)) == config.ProviderScript {
		return true // a script accepts any model
	}
	ctx, cancel := context.WithTimeout(ctx, offersPatience)
	defer cancel()
	all, err := ListModels(ctx, first.provider)
	short := strings.TrimSuffix(model, "-latest")
	return err != nil || len(all) == 0 || slices.ContainsFunc(all, func(m llm.Model) bool { return strings.HasPrefix(m.Name, short) })
}

// ListModels returns the models of a provider.
func ListModels(ctx context.Context, p llm.Provider) ([]llm.Model, error) {
	lister, ok := p.(llm.Lister)
	if !ok {
		return nil, errors.New("the provider cannot tell which models there are")
	}
	return lister.Models(ctx)
}
