package docs

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// TestAddresses compares the table of addresses with those that the providers use.
func TestAddresses(t *testing.T) {
	t.Parallel()
	kinds := map[config.ProviderType]bool{
		config.ProviderAnthropic: true, config.ProviderOpenAI: true, config.ProviderGoogle: true,
		config.ProviderOllama: true, config.ProviderLlamaCPP: true, config.ProviderOpenRouter: true,
	}
	for _, row := range tables(section(t, text(t, "docs/providers.md"), "## Addresses"))[0] {
		kind := config.ProviderType(unquoted(row[0]))
		if !kinds[kind] {
			t.Errorf("%s is no type of provider, or is there twice", kind)
		}
		delete(kinds, kind)
		if got := setup.Address(config.Provider{Type: kind}); got != unquoted(row[2]) {
			t.Errorf("%s is used at %s, the page has %s", kind, got, row[2])
		}
		variable, _, _ := strings.Cut(strings.TrimPrefix(row[1], "`"), "`")
		c := &config.Config{Inherited: []string{variable + "=http://service.invalid:1"}}
		if got := c.Unconfigured(kind, "").URLFrom; got != variable {
			t.Errorf("%s is used at the address in %q, the page has %q", kind, got, variable)
		}
	}
	if len(kinds) > 0 {
		t.Errorf("the page does not have %v", kinds)
	}
}
