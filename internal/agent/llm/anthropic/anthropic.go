// Package anthropic implements a provider for Anthropic's messages protocol.
package anthropic

import (
	"cmp"
	"net/http"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
)

const (
	defaultURL   = "https://api.anthropic.com"
	defaultModel = "claude-sonnet-5-5"
	version      = "2023-06-01"
)

// protocol implements backend.Protocol.
type protocol struct {
	address string
	// described holds the details of each model that the service described, by name.
	described sync.Map
}

// New returns a provider. The BaseURL of the options may end in /v1.
func New(o backend.Options) *backend.Provider {
	return backend.New(o, backend.Service{
		Protocol:    &protocol{address: Address(o.BaseURL) + "/v1/"},
		Header:      http.Header{"Anthropic-Version": {version}},
		TokenHeader: "X-Api-Key", DefaultModel: defaultModel, Limits: dialogue.Rules{MaxID: 64, MaxName: 128}, Search: true,
	})
}

// Address returns the address that requests are sent to, for the given BaseURL of the options. It is without /v1.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1")
}
