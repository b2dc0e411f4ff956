package google

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/transport"
)

// Model implements llm.Provider. It asks the service once per model.
func (p *Provider) Model(ctx context.Context, name string) (llm.Model, error) {
	name = cmp.Or(name, p.fallback)
	m, ok := p.known.Get(ctx, name, func(ctx context.Context) (llm.Model, error) {
		address, err := p.of(name)
		if err != nil {
			return llm.Model{}, err
		}
		var found model
		inner, call := transport.Plain(ctx)
		err = p.client.JSON(inner, http.MethodGet, address, nil, &found)
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

// pages is how many pages of the list of models are read. A service with one page after the other must end somewhere.
const pages = 20

// Models implements llm.Lister. It omits models that cannot chat.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	var out []llm.Model
	query := url.Values{"pageSize": {"1000"}}
	for range pages {
		var page struct {
			Models []model `json:"models"`
			Next   string  `json:"nextPageToken"`
		}
		inner, call := transport.Plain(ctx)
		err := p.client.JSON(inner, http.MethodGet, p.address+"models?"+query.Encode(), nil, &page)
		if err = call.Err(ctx, err); err != nil {
			return nil, err
		}
		for _, found := range page.Models {
			if len(found.Methods) == 0 || slices.Contains(found.Methods, "generateContent") {
				out = append(out, describe(strings.TrimPrefix(found.Name, "models/"), found))
			}
		}
		if page.Next == "" {
			break
		}
		query.Set("pageToken", page.Next)
	}
	return out, nil
}

func describe(name string, found model) llm.Model {
	m := catalog.Known(name)
	if found.InputTokenLimit > 0 {
		m.ContextLength = found.InputTokenLimit
	}
	if found.Thinking && !slices.Contains(m.Capabilities, catalog.Thinking) {
		m.Capabilities = append(m.Capabilities, catalog.Thinking, catalog.ThinkingLevels)
	}
	return m
}
