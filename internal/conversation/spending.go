package conversation

import (
	"slices"

	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/sdk"
)

// ModelUse is what was used of one model.
type ModelUse = event.ModelUse

// TotalCost is what all models have cost, in US dollars; nil if that is not known.
func TotalCost(stats sdk.Stats, models []ModelUse) *float64 { return event.TotalCost(stats, models) }

// spending is what was used of one model, with its cost as an exact sum.
type spending struct {
	ModelUse

	cost llm.Cost
	// unpriced is set once a call had no known price.
	unpriced bool
}

// bill adds what was used of a model. A cost of nil is not known.
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
	if cost == nil {
		s.unpriced = true
		return
	}
	s.cost = s.cost.Add(*cost)
}

// billAll adds what was used elsewhere, or earlier.
func (l *ledger) billAll(models []ModelUse) {
	for _, use := range models {
		var cost *llm.Cost
		if use.CostUSD != nil {
			cost = new(llm.CostOf(*use.CostUSD))
		}
		l.bill(use, cost)
	}
}

// used lists what was used, in the order of first use.
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

// Models is what was used of each model since the session began, in the order of first use.
func (c *Conversation) Models() []ModelUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ledger.used()
}

// Charge counts what was used on behalf of the session elsewhere, such as by an agent that does a part of the work.
func (c *Conversation) Charge(stats sdk.Stats, models []ModelUse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ledger.spent += stats.TokensIn + stats.TokensOut
	c.ledger.stats.TokensIn += stats.TokensIn
	c.ledger.stats.TokensOut += stats.TokensOut
	c.ledger.billAll(models)
}
