package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/inspect"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// providers asks all providers for their models in parallel. It sends no request to a provider of an untrusted project.
func (p patient) providers(ctx context.Context) []Check {
	if p.failed != nil {
		return nil
	}
	offers, err := inspect.Models(ctx, p.listing, inspect.ModelOptions{Timeout: p.Timeout, Notify: func(string) {}})
	if missing, ok := errors.AsType[*setup.NoProviderError](err); ok {
		return []Check{{Area: "providers", Name: "providers", Status: Warning, Detail: "no provider is configured", Remedy: missing.Remedy()}}
	}
	if err != nil {
		return []Check{{
			Area: "providers", Name: "providers", Status: Error, Detail: err.Error(),
			Remedy: "configure a provider in config/providers/; docs/providers.md has examples",
		}}
	}
	var out []Check
	for _, o := range offers {
		out = append(out, p.offer(o))
	}
	return out
}

func (p patient) offer(o inspect.Offer) Check {
	c := Check{Area: "providers", Name: o.Provider, Status: OK, Detail: fmt.Sprintf("type %s, models: %d", o.Type, len(o.Models))}
	switch {
	case o.Untrusted:
		c.Status, c.Detail, c.Remedy = Warning, "untrusted, so nothing was sent to it", "'aura trust' trusts the directory that configures it"
	case o.Err != nil:
		c.Status, c.Detail, c.Remedy = Error, o.Err.Error(), remedyFor(o.Err, p.providerRemedy(o))
	case len(o.Models) == 0:
		c.Status, c.Remedy = Warning, "check models: in its settings, or load a model on its server"
	}
	return c
}

// providerRemedy returns what the user can do about a provider that fails.
func (p patient) providerRemedy(o inspect.Offer) string {
	at := "its settings"
	if source := p.listing.Providers[o.Provider].Source; source.File != "" {
		at = source.File
	}
	kind := ""
	if failure, ok := errors.AsType[*llm.Error](o.Err); ok {
		kind = failure.Type
	}
	switch {
	case kind == sdk.ErrorTypeAuth:
		return "check token: in " + at + ", or the variable that it names"
	case kind == sdk.ErrorTypeRateLimit, kind == sdk.ErrorTypeCreditExhausted:
		return "wait, or check the account of the provider"
	case o.Type == config.ProviderScript:
		return "correct the script file that " + at + " names"
	case o.Type == config.ProviderOllama, o.Type == config.ProviderLlamaCPP:
		return "start the server, or check url: in " + at
	default:
		return "check url: in " + at + ", the network and HTTPS_PROXY"
	}
}
