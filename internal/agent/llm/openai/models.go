package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/transport"
	"github.com/idelchi/aura/sdk"
)

// Model implements llm.Provider. OpenAI's own service does not describe its models, so it is not asked. Other servers are asked
// once per model.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	name, err := p.name(ctx, name)
	if err != nil {
		// Without a name, the model stays unresolved.
		return llm.Model{}, nil //nolint:nilerr // a description is not worth an error
	}
	if p.flavor == OpenAI {
		return catalog.Known(name), nil
	}
	m, ok := p.known.Get(ctx, name, func(ctx context.Context) (llm.Model, error) { return p.describe(ctx, name) })
	if !ok {
		return catalog.Known(name), nil
	}
	m.Capabilities = slices.Clone(m.Capabilities)
	return m, nil
}

// name returns the name of the model to use: the requested one, the configured one, or the first one that the server lists.
func (p *Provider) name(ctx context.Context, asked string) (string, error) {
	if name := cmp.Or(asked, p.fallback); name != "" {
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

// nameModel is the advice if the server does not list its models.
const nameModel = "name one with --model or model.name of the agent"

// Models implements llm.Lister.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	var page struct {
		Data []json.RawMessage `json:"data"`
	}
	inner, call := transport.Plain(ctx)
	err := p.client.JSON(inner, http.MethodGet, p.address+"/models", nil, &page)
	if err = call.Err(ctx, err); err != nil {
		return nil, err
	}
	out := make([]llm.Model, 0, len(page.Data))
	for _, found := range page.Data {
		out = append(out, listed(found))
	}
	return out, nil
}

// describe asks for the description in the way that yields the most detail for the flavor.
func (p *Provider) describe(ctx context.Context, name string) (llm.Model, error) {
	switch p.flavor {
	case Ollama:
		return p.show(ctx, name)
	case LlamaCPP:
		return p.props(ctx, name)
	default:
		models, err := p.Models(ctx)
		if err != nil {
			return llm.Model{}, err
		}
		for _, m := range models {
			if m.Name == name {
				return m, nil
			}
		}
		return catalog.Known(name), nil
	}
}

// listed describes a model by its entry in the list of models. The fields beside the name differ between servers.
func listed(found json.RawMessage) llm.Model {
	var more struct {
		ID               string `json:"id"`
		ContextLength    int    `json:"context_length"`
		MaxModelLen      int    `json:"max_model_len"`
		ContextWindow    int    `json:"context_window"`
		MaxContextLength int    `json:"max_context_length"`
		Meta             struct {
			Context    int   `json:"n_ctx"`
			Training   int   `json:"n_ctx_train"`
			Parameters int64 `json:"n_params"`
		} `json:"meta"`
		Architecture struct {
			Input []string `json:"input_modalities"`
		} `json:"architecture"`
		Parameters []string `json:"supported_parameters"`
	}
	lenient(string(found), &more)
	m := llm.Model{Name: more.ID}
	m.ContextLength = cmp.Or(more.ContextLength, more.MaxModelLen, more.ContextWindow, more.MaxContextLength, more.Meta.Context, more.Meta.Training)
	m.ParameterCount = more.Meta.Parameters
	for _, capability := range []struct {
		name string
		has  bool
	}{
		{catalog.Tools, slices.Contains(more.Parameters, "tools")},
		{catalog.Vision, slices.Contains(more.Architecture.Input, "image")},
		{catalog.Files, slices.Contains(more.Architecture.Input, "file")},
		{catalog.Thinking, slices.Contains(more.Parameters, "reasoning")},
		{catalog.ThinkingLevels, slices.Contains(more.Parameters, "reasoning")},
	} {
		if capability.has {
			m.Capabilities = append(m.Capabilities, capability.name)
		}
	}
	return catalog.Fill(m)
}
