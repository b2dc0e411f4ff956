package setup

import (
	"context"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/settings/config"
)

// counting answers with a number of tokens.
type counting struct {
	llm.Provider
	usage llm.Usage
}

func (c counting) Chat(context.Context, llm.Request, func(llm.Delta)) (llm.Response, error) {
	return llm.Response{Usage: c.usage}, nil
}

// TestPrices checks which price a model has, and that a model without a price has no cost.
func TestPrices(t *testing.T) {
	t.Parallel()
	price := func(input, output float64) config.Prices { return config.Prices{Input: &input, Output: &output} }
	cached := price(10, 20)
	cached.CacheRead = new(1.0)
	prices := map[string]config.Prices{"big-*": price(1, 2), "big-new-*": price(3, 4), "big-new-one": price(5, 6), "cached": cached, "free": price(0, 0)}
	searching := price(1, 2)
	searching.Search = new(5.0)
	prices["searching"] = searching
	million := llm.Usage{Input: 1_000_000, Output: 1_000_000}
	for name, test := range map[string]struct {
		model string
		usage llm.Usage
		want  float64
	}{
		"pattern":         {"big-old", million, 3},
		"longest pattern": {"big-new-two", million, 7},
		"exact name":      {"big-new-one", million, 11},
		"free":            {"free", million, 0},
		"searches":        {"searching", llm.Usage{Input: 1_000_000, Searches: 2}, 1.01},
		"unpriced search": {"free", llm.Usage{Input: 1, Searches: 2}, 0},
		"no price":        {"other", million, -1},
		"no name":         {"", million, -1},
		"no count":        {"free", llm.Usage{}, -1},
		"cache":           {"cached", llm.Usage{Input: 1_000_000, CacheRead: 500_000, CacheWrite: 100_000}, 5.5},
	} {
		response, err := offering{Provider: counting{usage: test.usage}, prices: prices}.Chat(t.Context(), llm.Request{Model: test.model}, nil)
		got := -1.0
		if response.Cost != nil {
			got = response.Cost.Dollars()
		}
		if err != nil || got != test.want {
			t.Errorf("%s: got %v, %v, want %v", name, got, err, test.want)
		}
	}
}
