package event

import (
	"math"

	"github.com/idelchi/aura/sdk"
)

// ModelUse is the usage of one model since the session began.
type ModelUse struct {
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// TokensIn and TokensOut are the provider's own counts, summed.
	TokensIn  int `json:"tokens_in"`
	TokensOut int `json:"tokens_out"`
	// CacheRead and CacheWrite are parts of TokensIn.
	CacheRead  int `json:"cache_read"`
	CacheWrite int `json:"cache_write"`
	// CostUSD is in US dollars, with at most six decimals. It is absent if the price of a call is not known.
	CostUSD *float64 `json:"cost_usd,omitempty"`
	// PricesOf is the date of the built-in list prices that CostUSD is based on. It is empty if the user has configured all prices.
	PricesOf string `json:"prices_of,omitempty"`
}

// TotalCost returns the cost of all models, in US dollars with at most six decimals. It returns nil if the cost of any usage in
// stats is not known, because a partial cost would be mistaken for the total.
func TotalCost(stats sdk.Stats, models []ModelUse) *float64 {
	var total float64
	tokens := stats.TokensIn + stats.TokensOut
	for _, m := range models {
		if m.CostUSD == nil {
			return nil
		}
		total += *m.CostUSD
		tokens -= m.TokensIn + m.TokensOut
	}
	if len(models) == 0 || tokens != 0 {
		return nil
	}
	total = math.Round(total*1e6) / 1e6
	return &total
}

// PricesOf returns the date of the oldest list prices that the cost of the models is based on; empty if the user has configured all prices.
func PricesOf(models []ModelUse) string {
	var date string
	for _, m := range models {
		if m.PricesOf != "" && (date == "" || m.PricesOf < date) {
			date = m.PricesOf
		}
	}
	return date
}
