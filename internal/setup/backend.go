package setup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/anthropic"
	"github.com/idelchi/aura/internal/llm/google"
	"github.com/idelchi/aura/internal/llm/openai"
	"github.com/idelchi/aura/internal/llm/retry"
	"github.com/idelchi/aura/internal/llm/script"
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
	return p.recorded(c, offering{Provider: speaks, models: c.Models}), nil
}

// speaker is what speaks the protocol of a type of provider.
func speaker(p config.Provider) (llm.Provider, error) {
	switch p.Type {
	case config.ProviderScript:
		return script.New(script.Options{File: p.File})
	case config.ProviderAnthropic:
		return anthropic.New(anthropic.Options{BaseURL: p.URL, Token: p.Token}), nil
	case config.ProviderGoogle:
		return google.New(google.Options{BaseURL: p.URL, Token: p.Token}), nil
	case config.ProviderOpenAI, config.ProviderOllama, config.ProviderLlamaCPP, config.ProviderOpenRouter:
		return openai.New(openai.Options{BaseURL: p.URL, Token: p.Token, Flavor: flavor(p)}), nil
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

// offering is a provider that is used for some of its models only.
type offering struct {
	llm.Provider
	models config.Models
}

func (o offering) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	if req.Model != "" && excluded(o.models, req.Model) {
		return llm.Response{}, &llm.Error{
			Type: sdk.ErrorTypeModelUnavailable, Message: fmt.Sprintf("model %q is excluded by models: of the provider", req.Model),
		}
	}
	return o.Provider.Chat(ctx, req, onDelta)
}

// ollamaAddress is where an Ollama server is, unless it was told otherwise.
const ollamaAddress = "127.0.0.1:11434"

// detectTimeout bounds the look for a server on this machine.
const detectTimeout = 200 * time.Millisecond

// Detect serves who has configured nothing: the first service that the environment has a key for, a server on this
// machine, or the built-in demonstration, which needs nothing. The user is told which, and how to change it.
func (p *Providers) Detect(ctx context.Context) (llm.Provider, string, error) {
	for _, c := range []struct {
		variable string
		kind     config.ProviderType
	}{
		{"ANTHROPIC_API_KEY", config.ProviderAnthropic}, {"OPENAI_API_KEY", config.ProviderOpenAI}, {"GEMINI_API_KEY", config.ProviderGoogle},
	} {
		if key, ok := config.Lookup(p.config.Environ, c.variable); ok && key != "" {
			p.tellDetected(fmt.Sprintf("%s is used, because %s is set", c.kind, c.variable))
			made, err := p.Make(config.Provider{Type: c.kind, Token: key})
			return made, string(c.kind), err
		}
	}
	dialer := net.Dialer{Timeout: detectTimeout}
	if conn, err := dialer.DialContext(ctx, "tcp", ollamaAddress); err == nil {
		_ = conn.Close()
		p.tellDetected("the Ollama server at " + ollamaAddress + " is used")
		made, err := p.Make(config.Provider{Type: config.ProviderOllama})
		return made, string(config.ProviderOllama), err
	}
	p.tellDetected("the built-in demonstration answers")
	made, err := script.New(script.Options{})
	return made, "script", err
}

func (p *Providers) tellDetected(what string) {
	p.notify("no provider is configured, so " + what + "; to change that, put one into .aura/config/providers/")
}
