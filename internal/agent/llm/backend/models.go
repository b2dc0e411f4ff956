package backend

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// nameModel is the advice if the service does not list its models.
const nameModel = "name one with --model or model.name of the agent"

// Model implements llm.Provider. It describes each model once.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	name, err := p.name(ctx, name)
	if err != nil {
		// Without a name, the model stays unresolved.
		return llm.Model{}, nil //nolint:nilerr // a description is not worth an error
	}
	m := p.known.Get(ctx, name, func(ctx context.Context) (llm.Model, error) { return p.service.Describe(ctx, p.client, name) })
	m.Audio = p.service.Audio
	p.restrict(&m)
	return m, nil
}

// Models implements llm.Lister.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	all, err := p.service.List(ctx, p.client)
	for i := range all {
		p.restrict(&all[i])
	}
	return all, err
}

// restrict removes the capabilities that the service lacks from the description of a model.
func (p *Provider) restrict(m *llm.Model) {
	if !p.service.Search {
		m.Capabilities = slices.DeleteFunc(m.Capabilities, func(c string) bool { return c == llm.Search })
	}
}

// name returns the name of the model to use: the requested one, the default, or the first one that the service lists.
func (p *Provider) name(ctx context.Context, asked string) (string, error) {
	if name := cmp.Or(asked, p.model); name != "" {
		return name, nil
	}
	if name := p.first.Load(); name != nil {
		return *name, nil
	}
	models, err := p.Models(ctx)
	if failure, ok := errors.AsType[*llm.Error](err); ok {
		unnamed := *failure
		unnamed.Message = "listing the models, because none is named: " + failure.Message
		if failure.Type == "" || failure.Type == sdk.ErrorTypeModelUnavailable {
			unnamed.Message += "; or " + nameModel
		}
		return "", &unnamed
	}
	if err != nil {
		return "", err
	}
	if len(models) == 0 {
		return "", &llm.Error{Type: sdk.ErrorTypeModelUnavailable, Message: "the server lists no models, and none is named: load one in the server, or " + nameModel}
	}
	p.first.Store(&models[0].Name)
	return models[0].Name, nil
}
