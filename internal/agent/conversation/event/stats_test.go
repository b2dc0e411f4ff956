package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/sdk"
)

// TestSaved checks that a session's counts, including those of tools, survive saving.
func TestSaved(t *testing.T) {
	t.Parallel()
	cost := 0.25
	models := []event.ModelUse{{Provider: "p", Model: "m", TokensIn: 7, TokensOut: 8, CacheRead: 3, CacheWrite: 2, CostUSD: &cost}, {Provider: "p", Model: "n"}}
	for name, counted := range map[string]sdk.Stats{
		"nothing": {},
		"counts":  {Interactions: 1, Turns: 2, Iterations: 3, ToolCalls: 4, ToolErrors: 1, ParseRetries: 5, Compactions: 6, TokensIn: 7, TokensOut: 8},
		"tools":   {ToolCalls: 2, TopTools: []sdk.ToolCount{{Name: "Lös", Count: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := json.Marshal(event.Saved(counted, models))
			if err != nil {
				t.Fatal(err)
			}
			var kept any
			if err := json.Unmarshal(raw, &kept); err != nil {
				t.Fatal(err)
			}
			got, used, err := event.Recalled(kept)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(used, models) {
				t.Errorf("got %+v, want %+v", used, models)
			}
			if !reflect.DeepEqual(*got, counted) {
				t.Errorf("got %+v, want %+v", *got, counted)
			}
		})
	}
}

// TestTotalCost checks that a total includes everything or is absent.
func TestTotalCost(t *testing.T) {
	t.Parallel()
	a, b, none := 0.1, 0.2, 0.0
	counted := sdk.Stats{TokensIn: 30, TokensOut: 3}
	use := func(in, out int, cost *float64) event.ModelUse {
		return event.ModelUse{TokensIn: in, TokensOut: out, CostUSD: cost}
	}
	for name, test := range map[string]struct {
		models []event.ModelUse
		want   string
	}{
		"no model":        {nil, "unknown"},
		"one":             {[]event.ModelUse{use(30, 3, &a)}, "0.1"},
		"two":             {[]event.ModelUse{use(10, 1, &a), use(20, 2, &b)}, "0.3"},
		"free":            {[]event.ModelUse{use(30, 3, &none)}, "0"},
		"one unknown":     {[]event.ModelUse{use(10, 1, &a), use(20, 2, nil)}, "unknown"},
		"a part is known": {[]event.ModelUse{use(10, 1, &a)}, "unknown"},
	} {
		got := "unknown"
		if total := event.TotalCost(counted, test.models); total != nil {
			got = fmt.Sprint(*total)
		}
		if got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
