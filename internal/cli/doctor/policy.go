package doctor

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/internal/system/machinepolicy"
)

// machinePolicy reports the policy of this machine.
func machinePolicy(context.Context) []Check {
	check := Check{Area: "policy", Name: machinepolicy.Dir(), Status: Note}
	p, err := machinepolicy.Read()
	switch {
	case err != nil:
		check.Status, check.Detail, check.Remedy = Error, err.Error(), "ask the administrator of this machine; 'aura policy check' shows all faults"
	case p.Empty():
		return nil
	default:
		check.Detail = fmt.Sprintf("a policy with %d rules restricts aura here; 'aura policy show' shows them (hash %.12s)", len(p.Rules()), p.Hash())
	}
	return []Check{check}
}
