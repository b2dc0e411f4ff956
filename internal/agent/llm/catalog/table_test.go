package catalog

import (
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestPrices checks which names the table knows, and what calls of these models cost.
func TestPrices(t *testing.T) {
	t.Parallel()
	usage := llm.Usage{Input: 100_000, Output: 10_000, CacheRead: 40_000, CacheWrite: 20_000}
	long := llm.Usage{Input: 300_000, Output: 10_000, CacheRead: 100_000}
	for name, row := range map[string]struct {
		usage llm.Usage
		want  float64
	}{
		"claude-sonnet-4-5":           {usage, 0.12 + 0.012 + 0.075 + 0.15},
		"claude-sonnet-4-5-20250929":  {usage, 0.357},
		"claude-3-7-sonnet-latest":    {usage, 0.357},
		"CLAUDE-SONNET-4-5":           {usage, 0.357},
		"gpt-5.2":                     {usage, 0.105 + 0.007 + 0.14},
		"gpt-4o-2024-08-06":           {usage, 0.15 + 0.05 + 0.1},
		"gpt-4o-2024-05-13":           {usage, 0.5 + 0.15}, // without a cache
		"models/gemini-2.5-pro":       {usage, 0.075 + 0.005 + 0.1},
		"gemini-2.5-pro":              {long, 0.5 + 0.025 + 0.15},
		"gpt-5.5-pro":                 {long, 18 + 2.7},
		"gpt-5.9":                     {usage, -1}, // nobody knows
		"claude-sonnet-4-5-thinking":  {usage, -1},
		"gpt-4":                       {llm.Usage{Input: 1000, Output: 1000}, 0.09},
		"gpt-4-32k":                   {usage, -1},
		"claude-sonnet-4-5-202509291": {usage, -1},
		"":                            {usage, -1},
	} {
		prices, date, ok := Prices(name)
		if ok != (row.want >= 0) {
			t.Errorf("%s: known: %v", name, ok)
		}
		if got := prices.Cost(row.usage); ok && got != llm.CostOf(row.want) {
			t.Errorf("%s: got %v, want %v", name, got.Dollars(), row.want)
		}
		if _, err := time.Parse(time.DateOnly, date); err != nil {
			t.Error(err)
		}
	}
}

// TestTable checks every row of the table.
func TestTable(t *testing.T) {
	t.Parallel()
	for name, row := range known().rows {
		p := row.prices
		if row.context < 8000 || p.Input <= 0 || p.Output <= p.Input || p.CacheRead > p.Input || p.CacheWrite < p.Input || name != strings.ToLower(name) {
			t.Errorf("%s: %+v", name, row)
		}
		if p.Long != nil && (p.LongFrom <= 0 || p.LongFrom >= row.context || p.Long.Input <= p.Input || p.Long.Output <= p.Output || p.Long.CacheRead > p.Long.Input) {
			t.Errorf("%s: long calls: %+v", name, p.Long)
		}
		if Known(name).Family == "" {
			t.Errorf("%s: its capabilities are unknown", name)
		}
	}
	for text, want := range map[string]string{
		"2026-01-01\na 1 2":         "3 columns",
		"2026-01-01\na 1 2 3 4 x":   "invalid syntax",
		"2026-01-01\n# a\n\n":       "",
		"2026-01-01\na 1 2 3 - -\n": "",
	} {
		if _, err := parseTable(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}
