// Package openai implements a provider for OpenAI's chat completions protocol, which many servers support: Ollama, llama.cpp,
// OpenRouter, vLLM and others.
package openai

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/internal/agent/llm/transport"
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

// Options configures a provider. Every field is optional.
type Options struct {
	// BaseURL is the address of the server, up to and including /v1. The default depends on the flavor. If the address has no
	// path, /v1 is appended.
	BaseURL string
	// Token may be empty for a server that requires none.
	Token string
	// Flavor defaults to OpenAI if BaseURL is an address of OpenAI.
	Flavor Flavor
	// HTTPClient sends the requests. If HTTPClient is nil, a default client is used.
	HTTPClient *http.Client
	// IdleTimeout is how long the server may be silent. The default is 30 s.
	IdleTimeout time.Duration
	// Model is used for requests that name no model.
	Model string
}

// Provider talks to one server.
type Provider struct {
	client   rest.Client
	flavor   Flavor
	address  string
	fallback string
	// first caches the name of the first model that the server lists.
	first atomic.Pointer[string]
	known catalog.Cache[llm.Model]
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request and does not read the environment.
func New(o Options) *Provider {
	p := &Provider{address: Address(o.BaseURL, o.Flavor), flavor: o.Flavor}
	if o.Flavor == Compatible && strings.HasPrefix(p.address, defaultURLs[OpenAI]) {
		p.flavor = OpenAI
	}
	p.fallback = cmp.Or(o.Model, defaultModels[p.flavor])
	p.client = rest.Client{
		HTTP:   transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: []string{o.Token}}),
		Header: http.Header{}, Secrets: []string{o.Token},
	}
	if o.Token != "" {
		p.client.Header.Set("Authorization", "Bearer "+o.Token)
	}
	return p
}

// Address returns the address that requests are sent to, for the given BaseURL of Options and a flavor. It has no trailing
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

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	name, err := p.name(ctx, req.Model)
	if err != nil {
		return llm.Response{}, err
	}
	req.Model = name
	tools, names := dialogue.Tools(req.Tools, limits.MaxName)
	req.Tools = tools
	inner, call := transport.Stream(ctx)
	a := answer{onDelta: onDelta, names: names}
	for event, failure := range p.client.Stream(inner, p.address+"/chat/completions", p.params(req)) {
		if failure == nil && strings.HasPrefix(string(event.Data), "[DONE]") {
			break
		}
		if failure == nil {
			failure = p.readEvent(&a, event.Data)
		}
		if failure != nil {
			err = failure
			break
		}
		if err := a.meter.Err(); err != nil {
			return llm.Response{}, err
		}
	}
	if err := call.Finish(ctx, err, a.stop != ""); err != nil {
		return llm.Response{}, err
	}
	return a.response()
}

// readEvent adds an event of a stream to the answer. It returns the error that the event reports.
func (p *Provider) readEvent(a *answer, data []byte) error {
	var c chunk
	if err := p.client.Decode(data, &c); err != nil {
		return err
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return p.client.Said(data)
	}
	a.addChunk(c)
	return nil
}
