package anthropic

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/rest"
)

// details describes a model as far as a request needs it.
type details struct {
	model llm.Model
	// output is the model's limit of output tokens. It is 0 if unknown.
	output int
	// adaptive is set for models that decide themselves how much to think. Other models take a budget.
	adaptive bool
}

// Describe implements backend.Protocol.
func (p *protocol) Describe(ctx context.Context, c rest.Client, name string) (llm.Model, error) {
	var found model
	if err := c.JSON(ctx, http.MethodGet, p.address+"models/"+url.PathEscape(name), nil, &found); err != nil {
		return llm.Model{}, err
	}
	d := describe(name, found)
	p.described.Store(name, d)
	return d.model, nil
}

// List implements backend.Protocol.
func (p *protocol) List(ctx context.Context, c rest.Client) ([]llm.Model, error) {
	var page struct {
		Data []model `json:"data"`
	}
	if err := c.JSON(ctx, http.MethodGet, p.address+"models?limit=1000", nil, &page); err != nil {
		return nil, err
	}
	out := make([]llm.Model, 0, len(page.Data))
	for _, found := range page.Data {
		out = append(out, describe(found.ID, found).model)
	}
	return out, nil
}

func describe(name string, found model) details {
	d := details{model: llm.Model{Name: name, ContextLength: found.MaxInputTokens}, output: found.MaxTokens, adaptive: adaptive(name)}
	if can := found.Capabilities; can != nil {
		d.adaptive = can.Thinking.Types.Adaptive.Supported
		d.model.Capabilities = []string{catalog.Tools}
		for capability, supported := range map[string]bool{
			catalog.Vision: can.ImageInput.Supported, catalog.Thinking: can.Thinking.Supported,
			catalog.ThinkingLevels: can.Thinking.Supported, catalog.Files: can.PDFInput.Supported,
		} {
			if supported {
				d.model.Capabilities = append(d.model.Capabilities, capability)
			}
		}
		// The service does not report this one.
		if slices.Contains(catalog.Known(name).Capabilities, catalog.Search) {
			d.model.Capabilities = append(d.model.Capabilities, catalog.Search)
		}
		slices.Sort(d.model.Capabilities)
	}
	d.model = catalog.Fill(d.model)
	return d
}

// details returns what the service reported about a model, or else what its name implies. It does not ask the service.
func (p *protocol) details(name string) details {
	known, _ := p.described.Load(name)
	if d, ok := known.(details); ok {
		return d
	}
	d := details{model: catalog.Known(name), adaptive: adaptive(name)}
	switch {
	case strings.HasPrefix(name, "claude-3-5-"):
		d.output = 8192
	case strings.HasPrefix(name, "claude-3-") && !strings.HasPrefix(name, "claude-3-7-"):
		d.output = 4096
	}
	return d
}

// adaptive reports whether name is Claude 4.6 or later, which takes no budget. It is false for models of other makers.
func adaptive(name string) bool {
	rest, ok := strings.CutPrefix(name, "claude-")
	if !ok || strings.HasPrefix(rest, "3-") || strings.HasPrefix(rest, "2") {
		return false
	}
	_, version, _ := strings.Cut(rest, "-")
	major, minor, _ := strings.Cut(version, "-")
	minor, _, _ = strings.Cut(minor, "-")
	if major != "4" {
		return true
	}
	n, err := strconv.Atoi(minor)
	// A minor version of eight digits is a date.
	return err == nil && n >= 6 && n < 1000
}
