package conversation

import (
	"fmt"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
)

// TestBill checks how the costs of models add up.
func TestBill(t *testing.T) {
	t.Parallel()
	cost := func(dollars float64) *llm.Cost { return new(llm.CostOf(dollars)) }
	call := func(model string, in, out int, cost *llm.Cost) func(*ledger) {
		return func(l *ledger) { l.bill(ModelUse{Provider: "p", Model: model, TokensIn: in, TokensOut: out}, cost) }
	}
	for name, test := range map[string]struct {
		calls []func(*ledger)
		want  string
	}{
		"nothing":          {nil, ""},
		"one model":        {[]func(*ledger){call("a", 1, 2, cost(0.1)), call("a", 3, 4, cost(0.2))}, "a 4 6 0.3\n"},
		"two models":       {[]func(*ledger){call("b", 1, 2, cost(0.1)), call("a", 3, 4, cost(0.2)), call("b", 1, 1, cost(0.1))}, "b 2 3 0.2\na 3 4 0.2\n"},
		"no price":         {[]func(*ledger){call("a", 1, 2, nil)}, "a 1 2 -\n"},
		"price for a part": {[]func(*ledger){call("a", 1, 2, cost(0.1)), call("a", 1, 2, nil), call("a", 1, 2, cost(0.1))}, "a 3 6 -\n"},
		"free":             {[]func(*ledger){call("a", 1, 2, cost(0))}, "a 1 2 0\n"},
		"less than shown":  {[]func(*ledger){call("a", 1, 0, new(llm.Cost(400_000))), call("a", 1, 0, new(llm.Cost(400_000)))}, "a 2 0 1e-06\n"},
		"elsewhere": {[]func(*ledger){call("a", 1, 2, cost(0.1)), func(l *ledger) {
			sub := ledger{lead: l}
			sub.charge(speaker{Persona: Persona{ProviderName: "p", Model: "a"}}, llm.Response{Usage: llm.Usage{Input: 3, Output: 4}, Cost: cost(0.2)}, 0)
			sub.charge(speaker{Persona: Persona{ProviderName: "p", Model: "c"}}, llm.Response{Usage: llm.Usage{Input: 5, Output: 6}}, 0)
		}}, "a 4 6 0.3\nc 5 6 -\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l ledger
			for _, c := range test.calls {
				c(&l)
			}
			var got string
			for _, m := range l.used() {
				shown := "-"
				if m.CostUSD != nil {
					shown = fmt.Sprint(*m.CostUSD)
				}
				got += fmt.Sprintln(m.Model, m.TokensIn, m.TokensOut, shown)
			}
			if got != test.want {
				t.Errorf("got\n%swant\n%s", got, test.want)
			}
		})
	}
}

// TestTitle checks that the title in a message is never empty.
func TestTitle(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]speaker{
		"model m of provider p":           {Persona: Persona{ProviderName: "p", Model: "m"}},
		"model n of provider p":           {Persona: Persona{ProviderName: "p"}, model: llm.Model{Name: "n"}},
		"model m":                         {Persona: Persona{Model: "m"}},
		"the default model of provider p": {Persona: Persona{ProviderName: "p"}},
	} {
		if got := s.title(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
