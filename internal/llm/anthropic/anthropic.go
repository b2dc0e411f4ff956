// Package anthropic implements a provider for Anthropic's messages protocol.
package anthropic

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/catalog"
	"github.com/idelchi/aura/internal/llm/classify"
	"github.com/idelchi/aura/internal/llm/dialogue"
	"github.com/idelchi/aura/internal/llm/transport"
)

const (
	defaultURL   = "https://api.anthropic.com"
	defaultModel = anthropic.ModelClaudeSonnet5_5
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
	messages anthropic.MessageService
	models   anthropic.ModelService
	token    string
	fallback string
	known    catalog.Cache[details]
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request and does not read the environment.
func New(o Options) *Provider {
	client := transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: []string{o.Token}})
	opts := []option.RequestOption{
		option.WithBaseURL(Address(o.BaseURL)),
		option.WithHTTPClient(client),
		option.WithMaxRetries(0),
		option.WithoutOpenTelemetry(),
	}
	if o.Token != "" {
		opts = append(opts, option.WithAPIKey(o.Token))
	}
	return &Provider{
		messages: anthropic.NewMessageService(opts...),
		models:   anthropic.NewModelService(opts...),
		token:    o.Token,
		fallback: cmp.Or(o.Model, defaultModel),
	}
}

// Address returns the address that requests are sent to, for the given BaseURL of Options. It is without /v1, as the library
// expects.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1")
}

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	req.Model = cmp.Or(req.Model, p.fallback)
	tools, names := dialogue.Tools(req.Tools, limits.MaxName)
	req.Tools = tools
	inner, call := transport.Stream(ctx)
	stream := p.messages.NewStreaming(inner, p.params(req))
	defer func() { _ = stream.Close() }()
	a := answer{onDelta: onDelta, names: names}
	for !a.over && a.meter.Err() == nil && stream.Next() {
		a.take(stream.Current())
	}
	if err := a.meter.Err(); err != nil {
		return llm.Response{}, err
	}
	if err := call.Finish(ctx, p.library(stream.Err()), a.ended); err != nil {
		return llm.Response{}, err
	}
	return a.response()
}

// library classifies an error of the library that the transport has not seen: an error inside a stream, or an answer that the
// library cannot parse.
func (p *Provider) library(err error) error {
	if err == nil {
		return nil
	}
	failure := &llm.Error{Message: "reading the answer: " + limit.Shorten(err.Error(), 1<<10), Malformed: true}
	if said, ok := errors.AsType[*anthropic.Error](err); ok {
		failure = classify.Event([]byte(said.RawJSON()))
	}
	failure.Message = classify.Redact(failure.Message, p.token)
	return failure
}
