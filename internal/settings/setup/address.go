package setup

import (
	"net/url"

	"github.com/idelchi/aura/internal/agent/llm/anthropic"
	"github.com/idelchi/aura/internal/agent/llm/google"
	"github.com/idelchi/aura/internal/agent/llm/openai"
	"github.com/idelchi/aura/internal/settings/config"
)

// Address returns the address to which the requests of a provider go: the provider's url, the address that the environment
// names, or the default of the provider's type. The address can be shown: it contains neither a user nor a query. A script has
// no address.
func Address(p config.Provider) string {
	var at string
	switch p.Type {
	case config.ProviderScript:
		return ""
	case config.ProviderAnthropic:
		at = anthropic.Address(p.URL)
	case config.ProviderGoogle:
		at = google.Address(p.URL)
	default:
		at = openai.Address(p.URL, flavor(p))
	}
	u, err := url.Parse(at)
	if err != nil {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
