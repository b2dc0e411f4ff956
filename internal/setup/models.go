package setup

import (
	"context"
	"errors"
	"slices"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/tool"
)

// Models implements llm.Lister, within the time that one request may take.
func (b bounded) Models(ctx context.Context) ([]llm.Model, error) {
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	return ListModels(limited, b.Provider)
}

// Models implements llm.Lister. What the configuration leaves out is not there.
func (o offering) Models(ctx context.Context) ([]llm.Model, error) {
	all, err := ListModels(ctx, o.Provider)
	return slices.DeleteFunc(all, func(m llm.Model) bool {
		return len(o.models.Include) > 0 && !tool.Match(o.models.Include, m.Name) || tool.Match(o.models.Exclude, m.Name)
	}), err
}

// ListModels asks a provider which models there are.
func ListModels(ctx context.Context, p llm.Provider) ([]llm.Model, error) {
	lister, ok := p.(llm.Lister)
	if !ok {
		return nil, errors.New("the provider cannot tell which models there are")
	}
	return lister.Models(ctx)
}
