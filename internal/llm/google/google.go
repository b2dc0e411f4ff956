// Package google implements a provider for the Gemini models.
package google

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"google.golang.org/genai"

	"github.com/idelchi/aura/internal/limit"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/catalog"
	"github.com/idelchi/aura/internal/llm/classify"
	"github.com/idelchi/aura/internal/llm/dialogue"
	"github.com/idelchi/aura/internal/llm/transport"
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
	// client creates the client at the first request.
	client   func() (*genai.Client, error)
	token    string
	fallback string
	known    catalog.Cache[llm.Model]
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New returns a provider. It makes no request.
func New(o Options) *Provider {
	return &Provider{
		client:   sync.OnceValues(func() (*genai.Client, error) { return newClient(o) }),
		token:    o.Token,
		fallback: cmp.Or(o.Model, defaultModel),
	}
}

// noToken is a placeholder because the library requires a token. It is not sent.
const noToken = "none"

// newClient sets every option that the library would otherwise read from the environment.
func newClient(o Options) (*genai.Client, error) {
	client := transport.NewClient(transport.Options{Client: o.HTTPClient, Idle: o.IdleTimeout, Secrets: []string{o.Token}, Quiet: true})
	if o.Token == "" {
		client.Transport = anonymous{client.Transport}
	}
	made, err := genai.NewClient(context.Background(), &genai.ClientConfig{
		APIKey: cmp.Or(o.Token, noToken), Backend: genai.BackendGeminiAPI, HTTPClient: client,
		HTTPOptions: genai.HTTPOptions{BaseURL: Address(o.BaseURL) + "/", APIVersion: "v1beta"},
	})
	if err != nil {
		// The library's error may contain the token.
		return nil, errors.New("preparing the Google provider: its url cannot be used")
	}
	return made, nil
}

// Address returns the address that requests are sent to, for the given BaseURL of Options. It is without the version of the
// protocol.
func Address(url string) string {
	return strings.TrimSuffix(strings.TrimRight(cmp.Or(url, defaultURL), "/"), "/v1beta")
}

// anonymous removes the token from requests.
type anonymous struct{ next http.RoundTripper }

func (a anonymous) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Del("X-Goog-Api-Key")
	return a.next.RoundTrip(req)
}

// Chat implements llm.Provider.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	client, err := p.client()
	if err != nil {
		return llm.Response{}, err
	}
	req.Model = cmp.Or(req.Model, p.fallback)
	tools, names := dialogue.Tools(req.Tools, limits.MaxName)
	req.Tools = tools
	contents, config := params(req)
	inner, call := transport.Stream(ctx)
	a := answer{onDelta: onDelta, names: names}
	for chunk, failure := range client.Models.GenerateContentStream(inner, req.Model, contents, config) {
		if failure != nil {
			err = failure
			break
		}
		a.take(chunk)
		if err := a.meter.Err(); err != nil {
			return llm.Response{}, err
		}
	}
	if err := call.Finish(ctx, p.library(err), a.ended()); err != nil {
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
	if said, ok := errors.AsType[genai.APIError](err); ok {
		if body, err := json.Marshal(map[string]any{"error": said}); err == nil {
			failure = classify.Event(body)
		}
	}
	failure.Message = classify.Redact(failure.Message, p.token)
	return failure
}
