package setup

import (
	"context"
	"errors"
	"testing"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
)

// listing is a service that lists some models, or fails to list them.
type listing struct {
	llm.Provider
	names []string
}

func (l listing) Models(context.Context) ([]llm.Model, error) {
	var out []llm.Model
	for _, name := range l.names {
		out = append(out, llm.Model{Name: name})
	}
	if out == nil {
		return nil, errors.New("no answer")
	}
	return out, nil
}

// TestOffers checks which models of a saved session a provider still has.
func TestOffers(t *testing.T) {
	t.Parallel()
	has := listing{names: []string{"claude-x-20260101", "llama3:latest", "gpt-9"}}
	service := config.Provider{Type: config.ProviderOpenAI}
	narrowed := config.Provider{Type: config.ProviderOpenAI, Models: config.Models{Include: []string{"gpt-*"}, Exclude: []string{"gpt-9-*"}}}
	script := config.Provider{Type: config.ProviderScript}
	for name, row := range map[string]struct {
		configured config.Provider
		served     listing
		model      string
		want       bool
	}{
		"listed":                {service, has, "gpt-9", true},
		"not listed":            {service, has, "gpt-8", false},
		"without its date":      {service, has, "claude-x", true},
		"the latest":            {service, has, "claude-x-latest", true},
		"without its tag":       {service, has, "llama3", true},
		"nobody can say":        {service, listing{}, "gpt-8", true},
		"not included":          {narrowed, has, "llama3", false},
		"excluded":              {narrowed, listing{}, "gpt-9-mini", false},
		"included":              {narrowed, has, "gpt-9", true},
		"any model of a script": {script, has, "gpt-8", true},
	} {
		c := Chain{members: []member{{
			source: Source{Config: &config.Config{Providers: map[string]config.Provider{"p": row.configured}}}, provider: row.served, providerName: "p",
		}}}
		if got := c.Offers(t.Context(), row.model); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
	detected := Chain{members: []member{{source: Source{Config: &config.Config{}}, provider: has, providerName: "script"}}}
	if !detected.Offers(t.Context(), "gpt-8") {
		t.Error("the demonstration plays any model")
	}
}
