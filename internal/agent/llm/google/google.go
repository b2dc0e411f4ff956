// Package google implements a provider for the Gemini models.
package google

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/sdk"
)

const (
	defaultURL   = "https://generativelanguage.googleapis.com"
	defaultModel = "gemini-flash-latest"
)

// protocol implements backend.Protocol.
type protocol struct{ address string }

// New returns a provider. The BaseURL of the options may end in /v1beta.
func New(o backend.Options) *backend.Provider {
	return backend.New(o, backend.Service{
		Protocol:    protocol{address: Address(o.BaseURL) + "/v1beta/"},
		TokenHeader: "X-Goog-Api-Key", DefaultModel: defaultModel, Limits: dialogue.Rules{MaxID: 64, MaxName: 64},
		Audio: files.AudioTypes(), Search: true,
	})
}

// Address returns the address that requests are sent to, for the given BaseURL of the options. It is without the version of the
// protocol.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1beta")
}

// of returns the address of a model. Its name may have a prefix of the service, such as models/.
func (p protocol) of(model string) (string, error) {
	if strings.Contains(model, "..") {
		return "", &llm.Error{Type: sdk.ErrorTypeModelUnavailable, Message: "the name of the model must not contain \"..\""}
	}
	if !strings.HasPrefix(model, "models/") && !strings.HasPrefix(model, "tunedModels/") {
		model = "models/" + model
	}
	return p.address + strings.ReplaceAll(url.PathEscape(model), "%2F", "/"), nil
}
