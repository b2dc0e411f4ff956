// Package backend is the loop around a model service: it prepares a request, sends it, reads the stream of the answer and classifies
// failures. A backend describes its service to this loop: headers, limits, and a Protocol.
package backend

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/dialogue"
	"github.com/idelchi/aura/internal/agent/llm/rest"
	"github.com/idelchi/aura/internal/agent/llm/transport"
)

// Options configures a provider. Every field is optional.
type Options struct {
	// BaseURL is the address of the service. The default is the address of the backend's own service.
	BaseURL string
	// Token may be empty for a service that requires none.
	Token string
	// HTTPClient sends the requests. If HTTPClient is nil, a default client is used.
	HTTPClient *http.Client
	// IdleTimeout is how long the service may be silent. The default is 30 s.
	IdleTimeout time.Duration
	// Model is used for requests that name no model.
	Model string
}

// Service is what differs between services.
type Service struct {
	Protocol
	// Header is part of every request.
	Header http.Header
	// TokenHeader is the header of the token. TokenPrefix precedes the token in it.
	TokenHeader, TokenPrefix string
	// DefaultModel is used if neither the request nor the options name a model. If it is empty, the first model that the service
	// lists is used.
	DefaultModel string
	Limits       dialogue.Rules
	// Audio lists the media types of audio that requests can hold.
	Audio []string
	// Search is set if the service searches the web for the models that can. If it is false, no model of the service has that capability.
	Search bool
}

// Protocol is the part of a service that needs code. Its methods are safe for concurrent use.
type Protocol interface {
	// Request returns the address and the body of a request. The messages are without the system prompt. Messages and tools come
	// from the package dialogue.
	Request(system string, req llm.Request) (address string, body any, err error)
	// Reader returns a function that adds an event of a stream to the answer. The function returns the error that an event
	// reports. It returns io.EOF if no events follow.
	Reader(a *Answer) func(rest.Event) error
	// Describe describes a model.
	Describe(ctx context.Context, c rest.Client, name string) (llm.Model, error)
	// List returns the models of the service.
	List(ctx context.Context, c rest.Client) ([]llm.Model, error)
}

// Provider talks to one service.
type Provider struct {
	service Service
	client  rest.Client
	// model is used for requests that name no model. It may be empty.
	model string
	// first caches the name of the first model that the service lists.
	first atomic.Pointer[string]
	known catalog.Cache
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request and does not read the environment.
func New(o Options, s Service) *Provider {
	secrets := []string{o.Token}
	header := http.Header{}
	maps.Copy(header, s.Header)
	if o.Token != "" {
		header.Set(s.TokenHeader, s.TokenPrefix+o.Token)
	}
	return &Provider{service: s, model: cmp.Or(o.Model, s.DefaultModel), client: rest.Client{
		HTTP:   transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: secrets}),
		Header: header, Secrets: secrets,
	}}
}

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	name, err := p.name(ctx, req.Model)
	if err != nil {
		return llm.Response{}, err
	}
	a := &Answer{onDelta: onDelta}
	system, messages := dialogue.Prepare(req.Messages, p.service.Limits)
	req.Model, req.Messages = name, messages
	req.Tools, a.names = dialogue.Tools(req.Tools, p.service.Limits.MaxName)
	address, body, err := p.service.Request(system, req)
	if err != nil {
		return llm.Response{}, err
	}
	read := p.service.Reader(a)
	inner, call := transport.Stream(ctx)
	for event, failure := range p.client.Stream(inner, address, body) {
		if err = failure; err == nil {
			err = read(event)
		}
		if err == nil {
			err = a.Meter.Err()
		}
		if err != nil {
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := call.Finish(ctx, p.client.Redact(err), a.End != nil); err != nil {
		return llm.Response{}, err
	}
	return a.response()
}
