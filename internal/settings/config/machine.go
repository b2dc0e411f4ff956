package config

import "github.com/idelchi/aura/internal/system/machinepolicy"

// machine returns the policy of this machine. Every configuration has it, whoever loads the configuration.
func (o Options) machine() (*machinepolicy.Policy, error) {
	if o.Machine != nil {
		return o.Machine, nil
	}
	return machinepolicy.Read()
}
