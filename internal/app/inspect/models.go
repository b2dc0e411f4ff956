package inspect

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

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// Offer holds the models of one provider, or the error that prevented listing them.
type Offer struct {
	Provider string
	Type     config.ProviderType
	// URL is the address that was asked; empty for a script.
	URL    string
	Models []llm.Model
	Err    error
	// Untrusted reports that the provider was not asked, because its project is not trusted.
	Untrusted bool
}

// ModelOptions says which providers to ask for models.
type ModelOptions struct {
	// Provider names one provider. Empty asks all configured providers, or, if none is configured, the provider that a run would
	// use.
	Provider string
	// Timeout is the time limit for each provider.
	Timeout time.Duration
	// Notify receives notices. It may be called from several goroutines.
	Notify func(text string)
}

// Models asks the providers concurrently which models they offer. Offers are sorted by provider, models by name. Providers of
// an untrusted project come last and are not asked. Models returns an error if there is no provider to ask; the offers hold the
// failures of single providers.
func Models(ctx context.Context, l gate.Listing, o ModelOptions) ([]Offer, error) {
	c, foreign := l.Config, untrustedOffers(l, o.Provider)
	if _, own := c.Providers[o.Provider]; len(foreign) > 0 && !own && (o.Provider != "" || len(c.Providers) == 0) {
		return foreign, nil
	}
	providers := setup.NewProviders(c, nil, o.Notify)
	if o.Provider == "" && len(c.Providers) == 0 {
		found, err := providers.Detect(ctx)
		if err != nil {
			return nil, fmt.Errorf("listing models: %w", err)
		}
		p, err := providers.Make(found.Provider)
		if err != nil {
			return nil, fmt.Errorf("listing models: %w", err)
		}
		offer := Offer{Provider: cmp.Or(found.Name, string(found.Type)), Type: found.Type, URL: setup.Address(found.Provider)}
		offer.ask(ctx, p, o.Timeout)
		return []Offer{offer}, nil
	}
	chosen := slices.Sorted(maps.Keys(c.Providers))
	if o.Provider != "" {
		if _, ok := providers.Named(o.Provider); !ok {
			return nil, fmt.Errorf("listing models of provider %q: it does not exist; known providers: %s", o.Provider, setup.Names(c.Providers))
		}
		chosen = []string{o.Provider}
	}
	offers := make([]Offer, len(chosen))
	var all sync.WaitGroup
	for i, name := range chosen {
		named, _ := providers.Named(name)
		offers[i] = Offer{Provider: name, Type: named.Type, URL: setup.Address(named)}
		all.Go(func() {
			p, err := providers.Make(named)
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

// untrustedOffers returns the providers of an untrusted project, or only the named one. They are never asked.
func untrustedOffers(l gate.Listing, name string) []Offer {
	var out []Offer
	for _, n := range slices.Sorted(maps.Keys(l.Text.Providers)) {
		if p := l.Text.Providers[n]; l.Foreign(p.Source) && (name == "" || name == n) {
			out = append(out, Offer{Provider: n, Type: p.Type, URL: setup.Address(p), Untrusted: true})
		}
	}
	return out
}

// ask fills in the models of an offer, or its error.
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

// atOnce is the number of concurrent model requests to a server on the user's machine.
const atOnce = 4

// describe requests the details of each model, because the lists of these servers contain little more than names. It omits
// details that do not arrive in time.
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
