package policy_test

import (
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
)

// TestDecideCall checks how rules and defaults decide together.
func TestDecideCall(t *testing.T) {
	t.Parallel()
	confirm, deny := policy.Default{Edit: policy.Confirm, Run: policy.Confirm}, policy.Default{Run: policy.Deny}
	for name, row := range map[string]struct {
		layers []policy.Rules
		effect policy.Effect
		want   policy.Verdict
	}{
		"no default":                     {nil, policy.Run, policy.Verdict{Action: policy.Auto}},
		"a read":                         {[]policy.Rules{{Default: confirm}}, policy.Read, policy.Verdict{Action: policy.Auto}},
		"a default":                      {[]policy.Rules{{Default: confirm, Origin: "mode ask"}}, policy.Edit, policy.Verdict{Action: policy.Confirm, Rule: "default.edit", Origin: "mode ask"}},
		"a rule that allows":             {[]policy.Rules{{Default: confirm}, {Auto: []string{"T"}}}, policy.Run, policy.Verdict{Action: policy.Auto, Rule: "T"}},
		"a rule that asks":               {[]policy.Rules{{Default: confirm, Confirm: []string{"T"}}}, policy.Run, policy.Verdict{Action: policy.Confirm, Rule: "T"}},
		"a rule that denies":             {[]policy.Rules{{Default: confirm, Deny: []string{"T"}}}, policy.Run, policy.Verdict{Action: policy.Deny, Rule: "T"}},
		"a default that denies":          {[]policy.Rules{{Default: deny, Auto: []string{"T"}, Confirm: []string{"T"}}}, policy.Run, policy.Verdict{Action: policy.Deny, Rule: "default.run"}},
		"the stricter layer":             {[]policy.Rules{{Default: confirm}, {Default: deny, Origin: "b"}}, policy.Run, policy.Verdict{Action: policy.Deny, Rule: "default.run", Origin: "b"}},
		"auto loosens no other layer":    {[]policy.Rules{{Default: policy.Default{Run: policy.Auto}}, {Default: confirm}}, policy.Run, policy.Verdict{Action: policy.Confirm, Rule: "default.run"}},
		"a default for something else":   {[]policy.Rules{{Default: deny}}, policy.Edit, policy.Verdict{Action: policy.Auto}},
		"a default of auto says nothing": {[]policy.Rules{{Default: policy.Default{Run: policy.Auto}}}, policy.Run, policy.Verdict{Action: policy.Auto}},
	} {
		p, err := policy.New(row.layers...)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.DecideCall("T", nil, func() policy.Effect { return row.effect }); got != row.want {
			t.Errorf("%s: got %+v, want %+v", name, got, row.want)
		}
	}
}
