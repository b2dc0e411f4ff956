package google

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/rest"
)

// Describe implements backend.Protocol.
func (p protocol) Describe(ctx context.Context, c rest.Client, name string) (llm.Model, error) {
	address, err := p.of(name)
	if err != nil {
		return llm.Model{}, err
	}
	var found model
	if err := c.JSON(ctx, http.MethodGet, address, nil, &found); err != nil {
		return llm.Model{}, err
	}
	return describe(name, found), nil
}

// pages is how many pages of the list of models are read. A service with one page after the other must end somewhere.
const pages = 20

// List implements backend.Protocol. It omits models that cannot chat.
func (p protocol) List(ctx context.Context, c rest.Client) ([]llm.Model, error) {
	var out []llm.Model
	query := url.Values{"pageSize": {"1000"}}
	for range pages {
		var page struct {
			Models []model `json:"models"`
			Next   string  `json:"nextPageToken"`
		}
		if err := c.JSON(ctx, http.MethodGet, p.address+"models?"+query.Encode(), nil, &page); err != nil {
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
