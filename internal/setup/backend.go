package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/anthropic"
	"github.com/idelchi/aura/internal/llm/google"
	"github.com/idelchi/aura/internal/llm/openai"
	"github.com/idelchi/aura/internal/llm/retry"
	"github.com/idelchi/aura/internal/llm/script"
	"github.com/idelchi/aura/internal/llm/transport"
	"github.com/idelchi/aura/sdk"
)

// Make makes a provider of a configuration. Those that speak to a service try again what may pass; a script does so only if
// its configuration says how, for else its errors are there to be seen.
func (p *Providers) Make(c config.Provider) (llm.Provider, error) {
	if err := c.Usable(); err != nil {
		return nil, err
	}
	speaks, err := speaker(c)
	if err != nil {
		return nil, err
	}
	if c.Timeout > 0 {
		speaks = bounded{Provider: speaks, limit: c.Timeout}
	}
	if c.Type != config.ProviderScript || c.Retry != (config.Retry{}) {
		speaks = retry.New(speaks, retry.Options{
			MaxAttempts: c.Retry.MaxAttempts, BaseDelay: c.Retry.BaseDelay, MaxDelay: c.Retry.MaxDelay,
			Notify: func(f retry.Failure) {
				p.notify(fmt.Sprintf("attempt %d failed, retrying in %s: %v", f.Attempt, f.Delay.Round(time.Millisecond), f.Err))
			},
		})
	}
	return p.recorded(c, offering{Provider: speaks, models: c.Models, prices: c.Prices}), nil
}

// speaker is what speaks the protocol of a type of provider.
func speaker(p config.Provider) (llm.Provider, error) {
	switch p.Type {
	case config.ProviderScript:
		return script.New(script.Options{File: p.File})
	case config.ProviderAnthropic:
		return anthropic.New(anthropic.Options{BaseURL: p.URL, Token: p.Token, IdleTimeout: idleTimeout(p)}), nil
	case config.ProviderGoogle:
		return google.New(google.Options{BaseURL: p.URL, Token: p.Token, IdleTimeout: idleTimeout(p)}), nil
	case config.ProviderOpenAI, config.ProviderOllama, config.ProviderLlamaCPP, config.ProviderOpenRouter:
		return openai.New(openai.Options{BaseURL: p.URL, Token: p.Token, Flavor: flavor(p), IdleTimeout: idleTimeout(p)}), nil
	default:
		return nil, fmt.Errorf("type %q is not known", p.Type)
	}
}

// recorded is a provider whose answers are kept as a script, if its configuration says so.
func (p *Providers) recorded(c config.Provider, speaks llm.Provider) llm.Provider {
	if c.Record == "" {
		return speaks
	}
	return script.Record(speaks, c.Record, p.secrets, func(err error) { p.notify(err.Error()) })
}

// flavor is what a server of the OpenAI kind has of its own. One at another address is any compatible server.
func flavor(p config.Provider) openai.Flavor {
	if p.Type == config.ProviderOpenAI && p.URL != "" {
		return openai.Compatible
	}
	return openai.Flavor(p.Type)
}

// idleTimeout is how long a service may be silent: as configured, else by where it is. A server on this machine, or one of a
// program that is mostly used so, loads a model first.
func idleTimeout(p config.Provider) time.Duration {
	switch {
	case p.IdleTimeout > 0:
		return p.IdleTimeout
	case p.Type == config.ProviderOllama, p.Type == config.ProviderLlamaCPP, onThisMachine(Address(p)):
		return transport.LocalIdle
	default:
		return transport.DefaultIdle
	}
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// bounded is a provider each of whose calls may take so long and no longer.
type bounded struct {
	llm.Provider
	limit time.Duration
}

func (b bounded) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	limited, cancel := context.WithTimeout(ctx, b.limit)
	defer cancel()
	r, err := b.Provider.Chat(limited, req, onDelta)
	if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = &llm.Error{Type: sdk.ErrorTypeNetwork, Message: fmt.Sprintf("no complete answer within %s (timeout of the provider)", b.limit)}
	}
	return r, err
}

// offering is a provider that is used for some of its models only, and knows what they cost.
type offering struct {
	llm.Provider
	models config.Models
	prices map[string]config.Prices
}

func (o offering) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if req.Model != "" && excluded(o.models, req.Model) {
		return llm.Response{}, &llm.Error{
			Type: sdk.ErrorTypeModelUnavailable, Message: fmt.Sprintf("model %q is excluded by models: of the provider", req.Model),
		}
	}
	response, err := o.Provider.Chat(ctx, req, onDelta)
	if prices, ok := pricesOf(o.prices, req.Model); ok && err == nil && response.Usage != (llm.Usage{}) {
		response.Cost = new(prices.Cost(response.Usage))
	}
	return response, err
}

// detectTimeout bounds the look for a server, and detectFar that for one that the user has named.
const (
	detectTimeout = 200 * time.Millisecond
	detectFar     = 2 * time.Second
)

// keys are the variables that hold a token, in the order in which they are looked for.
var keys = []struct {
	variable string
	kind     config.ProviderType
}{
	{"ANTHROPIC_API_KEY", config.ProviderAnthropic}, {"OPENAI_API_KEY", config.ProviderOpenAI}, {"GEMINI_API_KEY", config.ProviderGoogle},
}

// Detect serves who has configured nothing: the first service that the environment has a key for, else the first that it has an
// address for, an Ollama server, or the built-in demonstration, which needs nothing. The user is told which, and how to change it.
func (p *Providers) Detect(ctx context.Context) (llm.Provider, string, error) {
	for _, k := range keys {
		if token, ok := config.Lookup(p.config.Environ, k.variable); ok && token != "" {
			return p.detected(p.config.Unconfigured(k.kind, token), k.variable)
		}
	}
	for _, k := range keys {
		if c := p.config.Unconfigured(k.kind, ""); c.URLFrom != "" {
			return p.detected(c, c.URLFrom)
		}
	}
	ollama := p.config.Unconfigured(config.ProviderOllama, "")
	if err := ollama.Usable(); err != nil {
		return nil, "", fmt.Errorf("looking for an Ollama server: %w", err)
	}
	if answers(ctx, ollama) {
		p.tellDetected("the Ollama server at " + Address(ollama) + " is used")
		made, err := p.Make(ollama)
		return made, string(ollama.Type), err
	}
	text := "the built-in demonstration answers"
	if ollama.URLFrom != "" {
		text += fmt.Sprintf(" (nothing answers at %s, from %s)", Address(ollama), ollama.URLFrom)
	}
	p.tellDetected(text)
	made, err := script.New(script.Options{})
	return made, string(config.ProviderScript), err
}

// detected is a provider that the environment describes by a variable.
func (p *Providers) detected(c config.Provider, because string) (llm.Provider, string, error) {
	text := string(c.Type) + " is used"
	if c.URLFrom != "" {
		text += " at " + Address(c)
	}
	text += ", because " + because + " is set"
	p.tellDetected(text)
	made, err := p.Make(c)
	return made, string(c.Type), err
}

// answers reports whether a server takes connections.
func answers(ctx context.Context, c config.Provider) bool {
	at, err := url.Parse(Address(c))
	if err != nil {
		return false
	}
	dialer := net.Dialer{Timeout: detectTimeout}
	if c.URLFrom != "" {
		dialer.Timeout = detectFar
	}
	conn, err := dialer.DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func (p *Providers) tellDetected(what string) {
	p.notify("no provider is configured, so " + what + "; to change that, put one into .aura/config/providers/")
}
