// Package openai implements a provider for OpenAI's chat completions protocol, which many servers support: Ollama, llama.cpp,
// OpenRouter, vLLM and others.
package openai

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/base/files"
)

// Flavor selects the extensions of a server.
type Flavor string

// The flavors. Compatible is any server that is none of the others.
const (
	Compatible Flavor = ""
	OpenAI     Flavor = "openai"
	Ollama     Flavor = "ollama"
	LlamaCPP   Flavor = "llamacpp"
	OpenRouter Flavor = "openrouter"
)

var defaultURLs = map[Flavor]string{
	Compatible: "https://api.openai.com/v1",
	OpenAI:     "https://api.openai.com/v1",
	Ollama:     "http://127.0.0.1:11434/v1",
	LlamaCPP:   "http://127.0.0.1:8080/v1",
	OpenRouter: "https://openrouter.ai/api/v1",
}

var defaultModels = map[Flavor]string{OpenAI: "gpt-5.2", OpenRouter: "openrouter/auto"}

// protocol implements backend.Protocol.
type protocol struct {
	address string
	flavor  Flavor
}

// New returns a provider for a server of the given flavor. The BaseURL of the options includes /v1. If it has no path, /v1 is
// appended. Compatible means OpenAI if BaseURL is an address of OpenAI.
func New(o backend.Options, f Flavor) *backend.Provider {
	p := protocol{address: Address(o.BaseURL, f), flavor: f}
	if f == Compatible && strings.HasPrefix(p.address, defaultURLs[OpenAI]) {
		p.flavor = OpenAI
	}
	return backend.New(o, backend.Service{
		Protocol: p, TokenHeader: "Authorization", TokenPrefix: "Bearer ",
		DefaultModel: defaultModels[p.flavor], Limits: dialogue.Rules{MaxID: 40, MaxName: 64},
		Audio: []string{files.WAV, files.MP3}, Search: p.flavor == OpenAI,
	})
}

// Address returns the address that requests are sent to, for the given BaseURL of the options and a flavor. It has no trailing
// slash. /v1 is appended to an address without a path, and to any address of a local server that does not end in /v1.
func Address(given string, f Flavor) string {
	given = strings.TrimRight(cmp.Or(given, defaultURLs[f]), "/")
	parsed, err := url.Parse(given)
	bare := err == nil && parsed.Path == ""
	local := (f == Ollama || f == LlamaCPP) && !strings.HasSuffix(given, "/v1")
	if bare || local {
		return given + "/v1"
	}
	return given
}
