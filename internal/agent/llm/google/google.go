// Package google implements a provider for the Gemini models.
package google

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/internal/agent/llm/transport"
	"github.com/idelchi/aura/sdk"
)

const (
	defaultURL   = "https://generativelanguage.googleapis.com"
	defaultModel = "gemini-flash-latest"
)

// Options configures a provider. Every field is optional.
type Options struct {
	// BaseURL is the address of the service. The default is Google's own address. BaseURL may end in /v1beta.
	BaseURL string
	Token   string
	// HTTPClient sends the requests. If HTTPClient is nil, a default client is used.
	HTTPClient *http.Client
	// IdleTimeout is how long the service may be silent. The default is 30 s.
	IdleTimeout time.Duration
	// Model is used for requests that name no model.
	Model string
}

// Provider talks to one service.
type Provider struct {
	client   rest.Client
	address  string
	fallback string
	known    catalog.Cache[llm.Model]
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request and does not read the environment.
func New(o Options) *Provider {
	p := &Provider{address: Address(o.BaseURL) + "/v1beta/", fallback: cmp.Or(o.Model, defaultModel)}
	p.client = rest.Client{
		HTTP:   transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: []string{o.Token}}),
		Header: http.Header{}, Secrets: []string{o.Token},
	}
	if o.Token != "" {
		p.client.Header.Set("X-Goog-Api-Key", o.Token)
	}
	return p
}

// Address returns the address that requests are sent to, for the given BaseURL of Options. It is without the version of the
// protocol.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1beta")
}

// of returns the address of a model. Its name may have a prefix of the service, such as models/.
func (p *Provider) of(model string) (string, error) {
	if strings.Contains(model, "..") {
		return "", &llm.Error{Type: sdk.ErrorTypeModelUnavailable, Message: "the name of the model must not contain \"..\""}
	}
	if !strings.HasPrefix(model, "models/") && !strings.HasPrefix(model, "tunedModels/") {
		model = "models/" + model
	}
	return p.address + strings.ReplaceAll(url.PathEscape(model), "%2F", "/"), nil
}

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	req.Model = cmp.Or(req.Model, p.fallback)
	address, err := p.of(req.Model)
	if err != nil {
		return llm.Response{}, err
	}
	tools, names := dialogue.Tools(req.Tools, limits.MaxName)
	req.Tools = tools
	inner, call := transport.Stream(ctx)
	a := answer{onDelta: onDelta, names: names}
	for event, failure := range p.client.Stream(inner, address+":streamGenerateContent?alt=sse", params(req)) {
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
	if err := call.Finish(ctx, err, a.ended()); err != nil {
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
