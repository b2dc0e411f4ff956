package google

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/catalog"
	"github.com/idelchi/aura/internal/llm/transport"
)

// Model implements llm.Provider. It asks the service once per model.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	name = cmp.Or(name, p.fallback)
	m, ok := p.known.Get(ctx, name, func(ctx context.Context) (llm.Model, error) {
		client, err := p.client()
		if err != nil {
			return llm.Model{}, err
		}
		inner, call := transport.Plain(ctx)
		found, err := client.Models.Get(inner, name, nil)
		if err = call.Err(ctx, err); err != nil {
			return llm.Model{}, err
		}
		return describe(name, found), nil
	})
	if !ok {
		return catalog.Known(name), nil
	}
	m.Capabilities = slices.Clone(m.Capabilities)
	return m, nil
}

// Models implements llm.Lister. It omits models that cannot chat.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	client, err := p.client()
	if err != nil {
		return nil, err
	}
	var out []llm.Model
	inner, call := transport.Plain(ctx)
	for found, failure := range client.Models.All(inner) {
		if failure != nil {
			err = failure
			break
		}
		if len(found.SupportedActions) == 0 || slices.Contains(found.SupportedActions, "generateContent") {
			out = append(out, describe(strings.TrimPrefix(found.Name, "models/"), found))
		}
	}
	if err := call.Err(ctx, err); err != nil {
		return nil, err
	}
	return out, nil
}

func describe(name string, found *genai.Model) llm.Model {
	m := catalog.Known(name)
	if found.InputTokenLimit > 0 {
		m.ContextLength = int(found.InputTokenLimit)
	}
	if found.Thinking && !slices.Contains(m.Capabilities, catalog.Thinking) {
		m.Capabilities = append(m.Capabilities, catalog.Thinking, catalog.ThinkingLevels)
	}
	return m
}
