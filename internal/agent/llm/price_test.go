package llm_test

import (
	"math"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestCost checks the costs of calls, in dollars with six decimals.
func TestCost(t *testing.T) {
	t.Parallel()
	prices := llm.Prices{
		Input: llm.PerMillion(3), Output: llm.PerMillion(15), CacheRead: llm.PerMillion(0.3), CacheWrite: llm.PerMillion(3.75),
		Search: llm.PerThousand(10),
	}
	for name, test := range map[string]struct {
		usage llm.Usage
		want  float64
	}{
		"nothing":          {llm.Usage{}, 0},
		"input":            {llm.Usage{Input: 1_000_000}, 3},
		"output":           {llm.Usage{Output: 1_000_000}, 15},
		"both":             {llm.Usage{Input: 1000, Output: 100}, 0.0045},
		"one token":        {llm.Usage{Input: 1}, 0.000003},
		"cache":            {llm.Usage{Input: 1000, CacheRead: 600, CacheWrite: 100}, 0.001455},
		"all from cache":   {llm.Usage{Input: 1000, CacheRead: 1000}, 0.0003},
		"more than all":    {llm.Usage{Input: 10, CacheRead: 1000}, 0.0003},
		"searches":         {llm.Usage{Input: 1000, Searches: 2}, 0.023},
		"negative":         {llm.Usage{Input: -5, Output: -5, CacheRead: -1, CacheWrite: -1}, 0},
		"beyond all count": {llm.Usage{Input: math.MaxInt, Output: math.MaxInt, CacheRead: math.MaxInt}, 9223372.036855},
	} {
		if got := prices.Cost(test.usage).Dollars(); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	prices.LongFrom, prices.Long = 100, &llm.Prices{Input: llm.PerMillion(6)}
	if got := prices.Cost(llm.Usage{Input: 1000, Searches: 1}).Dollars(); got != 0.016 {
		t.Errorf("a long call with a search costs %v", got)
	}
	var sum llm.Cost
	for range 1_000_000 {
		sum = sum.Add(llm.Prices{Input: llm.PerMillion(0.1)}.Cost(llm.Usage{Input: 1}))
	}
	if sum.Dollars() != 0.1 || llm.CostOf(0.1) != sum || llm.CostOf(math.Inf(1)) != math.MaxInt64 {
		t.Errorf("the sum is %v", sum.Dollars())
	}
}
