package conversation

import (
	"cmp"
	"slices"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/sdk"
)

// ModelUse is the usage of one model.
type ModelUse = event.ModelUse

// TotalCost returns the cost of all models in US dollars, or nil if it is not known.
func TotalCost(stats sdk.Stats, models []ModelUse) *float64 { return event.TotalCost(stats, models) }

// PricesOf returns the date of the list prices that the cost of the models is based on; empty if there are none.
func PricesOf(models []ModelUse) string { return event.PricesOf(models) }

// spending is the usage of one model, with its cost as an exact sum.
type spending struct {
	ModelUse

	cost llm.Cost
	// unpriced is set once the price of a call was not known.
	unpriced bool
}

// bill adds usage to a model. A nil cost means that the cost is not known. The caller holds the lock.
func (l *ledger) bill(use ModelUse, cost *llm.Cost) {
	i := slices.IndexFunc(l.models, func(s spending) bool { return s.Provider == use.Provider && s.Model == use.Model })
	if i < 0 {
		i = len(l.models)
		l.models = append(l.models, spending{ModelUse: ModelUse{Provider: use.Provider, Model: use.Model}})
	}
	s := &l.models[i]
	s.TokensIn += use.TokensIn
	s.TokensOut += use.TokensOut
	s.CacheRead += use.CacheRead
	s.CacheWrite += use.CacheWrite
	s.PricesOf = cmp.Or(use.PricesOf, s.PricesOf)
	if cost == nil {
		s.unpriced = true
		return
	}
	s.cost = s.cost.Add(*cost)
}

// billAll adds usage from elsewhere or from an earlier conversation. The caller holds the lock.
func (l *ledger) billAll(models []ModelUse) {
	for _, use := range models {
		var cost *llm.Cost
		if use.CostUSD != nil {
			cost = new(llm.CostOf(*use.CostUSD))
		}
		l.bill(use, cost)
	}
}

// used returns the usage of each model, in the order of first use. The caller holds the lock.
func (l *ledger) used() []ModelUse {
	var out []ModelUse
	for _, s := range l.models {
		use := s.ModelUse
		if !s.unpriced {
			use.CostUSD = new(s.cost.Dollars())
		}
		out = append(out, use)
	}
	return out
}

// Models returns the usage of each model since the session began, in the order of first use.
func (c *Conversation) Models() []ModelUse { return c.ledger.usage() }

// affordable returns an error if a token budget permits no further model call.
func (c *Conversation) affordable() error {
	if c.cfg.Lead != nil {
		if err := c.cfg.Lead.affordable(); err != nil {
			return err
		}
	}
	return c.ledger.affordable(c.personas.budget())
}
