package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/rest"
)

// Describe implements backend.Protocol. It asks in the way that yields the most detail for the flavor. OpenAI's own service does
// not describe its models, so it is not asked.
func (p protocol) Describe(ctx context.Context, c rest.Client, name string) (llm.Model, error) {
	switch p.flavor {
	case OpenAI:
		return catalog.Known(name), nil
	case Ollama:
		return p.show(ctx, c, name)
	case LlamaCPP:
		return p.props(ctx, c, name)
	default:
		models, err := p.List(ctx, c)
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

// List implements backend.Protocol.
func (p protocol) List(ctx context.Context, c rest.Client) ([]llm.Model, error) {
	var page struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := c.JSON(ctx, http.MethodGet, p.address+"/models", nil, &page); err != nil {
		return nil, err
	}
	out := make([]llm.Model, 0, len(page.Data))
	for _, found := range page.Data {
		out = append(out, listed(found))
	}
	return out, nil
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
		{catalog.Audio, slices.Contains(more.Architecture.Input, "audio")},
		{catalog.Thinking, slices.Contains(more.Parameters, "reasoning")},
		{catalog.ThinkingLevels, slices.Contains(more.Parameters, "reasoning")},
	} {
		if capability.has {
			m.Capabilities = append(m.Capabilities, capability.name)
		}
	}
	return catalog.Fill(m)
}
