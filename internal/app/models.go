package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/setup"
)

// Offer is what one provider has to offer, or why that is not known.
type Offer struct {
	Provider string
	Type     config.ProviderType
	// URL is where the provider was asked; empty for a script.
	URL    string
	Models []llm.Model
	Err    error
	// Untrusted means that the provider was not asked, because its project is not trusted.
	Untrusted bool
}

// ModelOptions say whom to ask for models.
type ModelOptions struct {
	// Provider names one; empty is all that are configured, or the one that is used where none is.
	Provider string
	// Timeout is what each provider has, on its own.
	Timeout time.Duration
	// Notify receives notices, from several goroutines.
	Notify func(text string)
}

// Models asks the providers, side by side, which models they offer. Offers are in the order of the providers' names, models in
// that of theirs. Providers of a project that is not trusted come last, and are not asked. The error is that there is nobody to ask; failures of single providers are in their offers.
func Models(ctx context.Context, l Listing, o ModelOptions) ([]Offer, error) {
	c, foreign := l.Config, l.untrustedOffers(o.Provider)
	if _, own := c.Providers[o.Provider]; len(foreign) > 0 && !own && (o.Provider != "" || len(c.Providers) == 0) {
		return foreign, nil
	}
	providers := setup.NewProviders(c, nil, o.Notify)
	if o.Provider == "" && len(c.Providers) == 0 {
		p, name, err := providers.Detect(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing models: %w", err)
		}
		kind := config.ProviderType(name)
		offer := Offer{Provider: name, Type: kind, URL: setup.Address(c.Unconfigured(kind, ""))}
		offer.ask(ctx, p, o.Timeout)
		return []Offer{offer}, nil
	}
	chosen := slices.Sorted(maps.Keys(c.Providers))
	if o.Provider != "" {
		if _, ok := c.Providers[o.Provider]; !ok {
			return nil, fmt.Errorf("listing models of provider %q: it does not exist; known providers: %s", o.Provider, setup.Names(c.Providers))
		}
		chosen = []string{o.Provider}
	}
	offers := make([]Offer, len(chosen))
	var all sync.WaitGroup
	for i, name := range chosen {
		offers[i] = Offer{Provider: name, Type: c.Providers[name].Type, URL: setup.Address(c.Providers[name])}
		all.Go(func() {
			p, err := providers.Make(c.Providers[name])
			if err != nil {
				offers[i].Err = err
				return
			}
			offers[i].ask(ctx, p, o.Timeout)
		})
	}
	all.Wait()
	return append(offers, foreign...), nil
}

// untrustedOffers are the providers of a project that is not trusted, or the one that is named. Nobody asks them.
func (l Listing) untrustedOffers(name string) []Offer {
	var out []Offer
	for _, n := range slices.Sorted(maps.Keys(l.Text.Providers)) {
		if p := l.Text.Providers[n]; l.Foreign(p.Source) && (name == "" || name == n) {
			out = append(out, Offer{Provider: n, Type: p.Type, URL: setup.Address(p), Untrusted: true})
		}
	}
	return out
}

// ask completes an offer.
func (o *Offer) ask(ctx context.Context, p llm.Provider, limit time.Duration) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if o.Models, o.Err = setup.ListModels(limited, p); o.Err != nil {
		if ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
			o.Err = fmt.Errorf("no answer within %s", limit)
		}
		return
	}
	if o.Type == config.ProviderOllama || o.Type == config.ProviderLlamaCPP {
		o.describe(limited, p)
	}
	slices.SortFunc(o.Models, func(a, b llm.Model) int { return cmp.Compare(a.Name, b.Name) })
}

// atOnce is how many models a server on the user's machine is asked about side by side.
const atOnce = 4

// describe asks about each model: the lists of these servers have little more than names. What cannot be had in time is left
// out.
func (o *Offer) describe(ctx context.Context, p llm.Provider) {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range o.Models {
		all.Go(func() error {
			if m, err := p.Model(ctx, o.Models[i].Name); err == nil {
				o.Models[i] = m
			}
			return nil
		})
	}
	_ = all.Wait()
}
