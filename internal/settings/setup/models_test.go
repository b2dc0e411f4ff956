package setup

import (
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestExcludes checks which models of a saved session are not used any more. What a service lists does not count.
func TestExcludes(t *testing.T) {
	t.Parallel()
	service := config.Provider{Type: config.ProviderOpenAI}
	narrowed := config.Provider{Type: config.ProviderOpenAI, Models: config.Models{Include: []string{"gpt-*"}, Exclude: []string{"gpt-9-*"}}}
	for name, row := range map[string]struct {
		configured config.Provider
		model      string
		want       bool
	}{
		"any model":    {service, "gpt-8", false},
		"not included": {narrowed, "llama3", true},
		"excluded":     {narrowed, "gpt-9-mini", true},
		"included":     {narrowed, "gpt-9", false},
	} {
		// The provider is nil: whoever asks it which models it lists panics.
		c := Chain{members: []member{{source: Source{Config: &config.Config{Entities: config.Entities{Providers: map[string]config.Provider{"p": row.configured}}}}, providerName: "p"}}}
		if got := c.Excludes(row.model); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
