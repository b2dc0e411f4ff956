package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// machinePolicy reports the policy of this machine.
func (p *patient) machinePolicy(context.Context) []Check {
	check := Check{Area: "policy", Name: machinepolicy.Dir(), Status: Note}
	policy, err := machinepolicy.Read()
	switch {
	case err != nil:
		check.Status, check.Detail, check.Remedy = Error, err.Error(), policyRemedy
	case policy.Empty():
		return nil
	default:
		check.Detail = fmt.Sprintf("a policy with %d rules restricts aura here; 'aura policy show' shows them (hash %.12s)", len(policy.Rules()), policy.Hash())
	}
	return append([]Check{check}, p.restricted()...)
}

// remedyFor returns what the user can do about an error: what its rule says if the policy of the machine is the reason, and otherwise another remedy.
func remedyFor(err error, otherwise string) string {
	if r, ok := errors.AsType[*machinepolicy.RefusalError](err); ok {
		return r.Rule.Remedy()
	}
	if _, ok := errors.AsType[*machinepolicy.Error](err); ok {
		return policyRemedy
	}
	return otherwise
}

const policyRemedy = "ask the administrator of this machine; 'aura policy check' shows all faults"

// restricted reports what the rules of the policy changed here.
func (p *patient) restricted() []Check {
	if p.failed != nil {
		return nil
	}
	entries, err := p.listing.Entries()
	if err != nil {
		return nil // plugins reports it
	}
	var out []Check
	for _, e := range setup.Effects(p.listing.Config, entries) {
		out = append(out, Check{Area: "policy", Name: e.Rule.Key, Status: Note, Detail: fmt.Sprintf("%s: %s", e.What, e.Rule)})
	}
	return out
}
