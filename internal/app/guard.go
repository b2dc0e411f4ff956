package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/policy"
	"github.com/idelchi/aura/internal/tool"
)

// guard is what stands between the plugins and the tools of a role.
type guard struct {
	app    *App
	policy policy.Policy
}

// guard puts the policies of all layers together.
func (a *App) guard(r role, f config.Features) (conversation.Guard, error) {
	p, err := policy.New(a.policies(r, f)...)
	if err != nil {
		return nil, err
	}
	return guard{app: a, policy: p}, nil
}

// policies are the rules in force, of each layer.
func (a *App) policies(r role, f config.Features) []policy.Rules {
	layers := []config.Policy{f.Tools.Policy, r.agent.Tools.Policy, r.mode.Tools.Policy}
	if a.opts.Task != nil {
		layers = append(layers, a.opts.Task.Tools.Policy)
	}
	out := make([]policy.Rules, 0, len(layers))
	for _, l := range layers {
		out = append(out, policy.Rules{Auto: l.Auto, Confirm: l.Confirm, Deny: l.Deny})
	}
	return out
}

// Before asks the policy, and the user if the policy wants that.
func (g guard) Before(ctx context.Context, call tool.Call, t tool.Tool) (string, error) {
	name := t.Definition().Name
	verdict := g.policy.Decide(name, call.Args)
	switch verdict.Action {
	case policy.Deny:
		return "", fmt.Errorf("the policy denies it (rule %q)", verdict.Rule)
	case policy.Confirm:
		return "", g.confirm(ctx, name, call.Args, verdict.Rule)
	default:
		return "", nil
	}
}

func (g guard) confirm(ctx context.Context, name string, args map[string]any, rule string) error {
	ask := g.app.opts.Confirm
	if ask == nil {
		return fmt.Errorf("the policy wants a confirmation (rule %q), and without a terminal there is nobody to give it, so it is denied", rule)
	}
	yes, err := ask(ctx, Question{Tool: name, Args: args, Rule: rule})
	switch {
	case err != nil:
		return fmt.Errorf("asking for the confirmation that rule %q wants: %w", rule, err)
	case !yes:
		return errors.New("the user said no")
	}
	return nil
}

// After has nothing to add.
func (guard) After(context.Context, tool.Call, tool.Tool, string, error) string { return "" }

// Question asks whether a tool call may run.
type Question struct {
	Tool string
	Args map[string]any
	// Rule is the rule of the policy that wants it asked.
	Rule string
}
