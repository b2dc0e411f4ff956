package network_test

import (
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/network"
)

// TestMachine checks that the limits of the machine win over everything else.
func TestMachine(t *testing.T) {
	t.Parallel()
	list := func(names ...string) (out []network.Pattern) {
		for _, name := range names {
			p, err := network.Parse(name)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	r := network.Rules{
		Allow: list("a.com", "c.com", "x.b.com"), Ask: true,
		Machine: []network.Limit{{Allow: list("a.com", "*.b.com"), Deny: list("x.b.com"), Rule: "one"}, {Allow: list("a.com", "*.b.com", "d.com"), Rule: "two"}},
	}
	for host, want := range map[string]network.Decision{
		"a.com": network.Allowed, "c.com": network.Refused, "x.b.com": network.Refused, "y.b.com": network.Ask, "d.com": network.Refused, "127.0.0.1": network.Refused,
	} {
		got := r.Decide(host, 443)
		if got.Decision != want || want == network.Refused && !strings.Contains(got.Rule, "the policy of this machine: ") {
			t.Errorf("%s: %v, %s", host, got.Decision, got.Rule)
		}
	}
	if r.Answerable("c.com") || !r.Answerable("a.com") {
		t.Error("DNS answers what the machine refuses, or the contrary")
	}
}
