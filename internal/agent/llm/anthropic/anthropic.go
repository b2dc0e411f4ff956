// Package anthropic implements a provider for Anthropic's messages protocol.
package anthropic

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/internal/agent/llm/transport"
)

const (
	defaultURL   = "https://api.anthropic.com"
	defaultModel = "claude-sonnet-5-5"
	version      = "2023-06-01"
)

// Options configures a provider. Every field is optional.
type Options struct {
	// BaseURL is the address of the service. The default is Anthropic's own address. BaseURL may end in /v1.
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
	known    catalog.Cache[details]
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request and does not read the environment.
func New(o Options) *Provider {
	p := &Provider{address: Address(o.BaseURL) + "/v1/", fallback: cmp.Or(o.Model, defaultModel)}
	p.client = rest.Client{
		HTTP:   transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: []string{o.Token}}),
		Header: http.Header{"Anthropic-Version": {version}}, Secrets: []string{o.Token},
	}
	if o.Token != "" {
		p.client.Header.Set("X-Api-Key", o.Token)
	}
	return p
}

// Address returns the address that requests are sent to, for the given BaseURL of Options. It is without /v1.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1")
}

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	req.Model = cmp.Or(req.Model, p.fallback)
	tools, names := dialogue.Tools(req.Tools, limits.MaxName)
	req.Tools = tools
	inner, call := transport.Stream(ctx)
	a := answer{onDelta: onDelta, names: names}
	var err error
	for event, failure := range p.client.Stream(inner, p.address+"messages", p.params(req)) {
		if failure == nil {
			failure = p.readEvent(&a, event)
		}
		if failure != nil {
			err = failure
			break
		}
		if err := a.meter.Err(); err != nil {
			return llm.Response{}, err
		}
		if a.over {
			break
		}
	}
	if err := call.Finish(ctx, err, a.ended); err != nil {
		return llm.Response{}, err
	}
	return a.response()
}

// readEvent adds an event of a stream to the answer. It returns the error that the event reports.
func (p *Provider) readEvent(a *answer, from rest.Event) error {
	switch from.Name {
	case "", "ping":
		return nil
	case "error":
		return p.client.Said(from.Data)
	}
	var e event
	if err := p.client.Decode(from.Data, &e); err != nil {
		return err
	}
	a.addEvent(e)
	return nil
}
