package setup

import (
	"cmp"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// pricesOf returns the prices of a model: those for its exact name, or else those for the longest matching pattern. search is the price of
// a search if none is configured.
func pricesOf(all map[string]config.Prices, model string, search llm.Price) (llm.Prices, bool) {
	if p, ok := all[model]; ok {
		return perUnit(p, search), true
	}
	patterns := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, pattern := range patterns {
		if tool.Match([]string{pattern}, model) {
			return perUnit(all[pattern], search), true
		}
	}
	return llm.Prices{}, false
}

// billed reports whether services of a type bill their models by the list prices.
func billed(t config.ProviderType) bool {
	return t == config.ProviderAnthropic || t == config.ProviderGoogle || t == config.ProviderOpenAI
}

func perUnit(p config.Prices, search llm.Price) llm.Prices {
	if p.Search != nil {
		search = llm.PerThousand(*p.Search)
	}
	price := func(dollars *float64) llm.Price { return llm.PerMillion(*cmp.Or(dollars, p.Input)) }
	return llm.Prices{Input: price(p.Input), Output: price(p.Output), CacheRead: price(p.CacheRead), CacheWrite: price(p.CacheWrite), Search: search}
}
