package setup

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/anthropic"
	"github.com/idelchi/aura/internal/agent/llm/backend"
	"github.com/idelchi/aura/internal/agent/llm/catalog"
	"github.com/idelchi/aura/internal/agent/llm/google"
	"github.com/idelchi/aura/internal/agent/llm/openai"
	"github.com/idelchi/aura/internal/agent/llm/retry"
	"github.com/idelchi/aura/internal/agent/llm/script"
	"github.com/idelchi/aura/internal/agent/llm/transport"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/sdk"
)

// Make creates a provider from its configuration. Providers that use a service retry temporary failures. A script retries only
// if its configuration sets retry, because otherwise its errors should be visible.
func (p *Providers) Make(c config.Provider) (llm.Provider, error) {
	if err := c.Usable(); err != nil {
		return nil, err
	}
	if err := p.config.Machine.Provider(string(c.Type), Address(c)); err != nil {
		return nil, err
	}
	speaks, err := speaker(c)
	if err != nil {
		return nil, err
	}
	if c.Type != config.ProviderScript {
		speaks = credentialed{Provider: speaks, source: tokenSource(c)}
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
	return p.recorded(c, offering{Provider: speaks, permit: p.config.Machine, models: c.Models, prices: c.Prices, listed: billed(c.Type)}), nil
}

// speaker returns the implementation of the protocol of a provider type.
func speaker(p config.Provider) (llm.Provider, error) {
	o := backend.Options{BaseURL: p.URL, Token: p.Token, IdleTimeout: idleTimeout(p)}
	switch p.Type {
	case config.ProviderScript:
		return script.New(script.Options{File: p.File})
	case config.ProviderAnthropic:
		return anthropic.New(o), nil
	case config.ProviderGoogle:
		return google.New(o), nil
	case config.ProviderOpenAI, config.ProviderOllama, config.ProviderLlamaCPP, config.ProviderOpenRouter:
		return openai.New(o, flavor(p)), nil
	default:
		return nil, fmt.Errorf("type %q is not known", p.Type)
	}
}

// recorded returns a provider that records its answers as a script, if its configuration requests that.
func (p *Providers) recorded(c config.Provider, speaks llm.Provider) llm.Provider {
	if c.Record == "" {
		return speaks
	}
	return script.Record(speaks, p.config.Workdir, c.Record, p.secrets, func(err error) { p.notify(err.Error()) })
}

// flavor returns which kind of OpenAI-compatible server a provider is. An OpenAI provider with its own address may be any
// compatible server.
func flavor(p config.Provider) openai.Flavor {
	if p.Type == config.ProviderOpenAI && p.URL != "" {
		return openai.Compatible
	}
	return openai.Flavor(p.Type)
}

// idleTimeout returns how long a service may be silent: the configured time, or else a time that depends on the location of the
// service. Local servers, and servers such as Ollama and llama.cpp that are usually local, get more time because they load a
// model first.
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

// bounded is a provider with a time limit for each call.
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

// offering is a provider that is used only for some of its models and knows their prices.
type offering struct {
	llm.Provider
	// permit is the policy of the machine.
	permit *machinepolicy.Policy
	models config.Models
	prices map[string]config.Prices
	// listed is set if the list prices apply to models without a price of their own.
	listed bool
}

func (o offering) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if req.Model != "" && excluded(o.models, req.Model) {
		return llm.Response{}, &llm.Error{
			Type: sdk.ErrorTypeModelUnavailable, Message: fmt.Sprintf("model %q is excluded by models: of the provider", req.Model),
		}
	}
	if err := o.permitModel(ctx, req.Model); err != nil {
		return llm.Response{}, &llm.Error{Type: sdk.ErrorTypeModelUnavailable, Message: err.Error()}
	}
	response, err := o.Provider.Chat(ctx, req, onDelta)
	if err != nil || response.Usage == (llm.Usage{}) {
		return response, err
	}
	var search llm.Price
	if o.listed {
		search = catalog.SearchPrice(req.Model)
	}
	prices, ok := pricesOf(o.prices, req.Model, search)
	if !ok && o.listed {
		prices, response.PricesOf, ok = catalog.Prices(req.Model)
	}
	if ok {
		response.Cost = new(prices.Cost(response.Usage))
	}
	return response, nil
}
