package config

import (
	"errors"

	"gopkg.in/yaml.v3"

	"github.com/idelchi/aura/internal/agent/policy"
)

// PolicyDefault holds the actions for calls that no rule names, by what they do; see policy.Default.
type PolicyDefault struct {
	Edit PolicyAction `yaml:"edit"`
	Run  PolicyAction `yaml:"run"`
}

// PolicyAction is an action of a policy. An empty one is not set.
type PolicyAction policy.Action

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *PolicyAction) UnmarshalYAML(n *yaml.Node) error {
	action, err := policy.ParseAction(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode || action == "" {
		return errors.New("expected auto, confirm or deny")
	}
	*a = PolicyAction(action)
	return nil
}

// YAMLValues implements strictyaml.Listed.
func (PolicyAction) YAMLValues() []string {
	return []string{string(policy.Auto), string(policy.Confirm), string(policy.Deny)}
}

// Rules returns the rules of a policy, with where it is written.
func (p Policy) Rules(origin string) policy.Rules {
	return policy.Rules{
		Auto: p.Auto, Confirm: p.Confirm, Deny: p.Deny, Origin: origin,
		Default: policy.Default{Edit: policy.Action(p.Default.Edit), Run: policy.Action(p.Default.Run)},
	}
}
