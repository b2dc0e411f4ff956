package setup

import (
	"net/url"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm/anthropic"
	"github.com/idelchi/aura/internal/llm/google"
	"github.com/idelchi/aura/internal/llm/openai"
)

// Address is where the requests of a provider go: its url, the one that the environment names, or the default of its type. It is
// made to be shown: it holds neither a user nor a query. A script has none.
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
