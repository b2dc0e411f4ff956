package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// PlanName is the name of the tool by which a model gives the user a plan.
const PlanName = "Plan"

// planTool gives a plan to the user. If the user accepts it, the mode changes.
type planTool struct {
	// accept asks the user, and returns the text for the model. It is nil where nobody can be asked.
	accept func(ctx context.Context, plan string) (string, error)
}

// Definition makes the tool opt-in, because it ends a mode in which nothing is changed.
func (planTool) Definition() tool.Definition {
	return tool.Definition{
		Name: PlanName, OptIn: true, Source: tool.SourceBuiltin,
		Description: "Give the user the plan for the work, once it is complete. The user accepts it, which lets you carry it out, or refuses it and may say why.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"plan":{"type":"string","minLength":1,` +
			`"description":"the whole plan, in Markdown"}},"required":["plan"],"additionalProperties":false}`),
	}
}

// Execute asks the user.
func (t planTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	plan, _ := call.Args["plan"].(string)
	return t.accept(ctx, plan)
}

// AskPlan asks the user about a plan, and returns the mode in which the work is to continue. No hook or plugin can answer.
func (s *Setup) AskPlan(ctx context.Context, plan string) (mode string, err error) {
	q := policy.Question{Tool: PlanName, Args: map[string]any{"plan": plan}, By: "mode " + s.Role.Mode.Name, Text: plan}
	for _, name := range s.Config.ModeNames() {
		if m := s.Config.Modes[name]; name != s.Role.Mode.Name && !slices.Contains(m.Tools.Enabled, PlanName) {
			q.Options = append(q.Options, policy.Option{Value: name, Title: "yes, mode " + name})
		}
	}
	if len(q.Options) == 0 {
		q.Options = []policy.Option{{Value: config.NoMode, Title: "yes, without a mode"}}
	}
	answer, err := s.Confirm(ctx, q)
	if err != nil {
		return "", fmt.Errorf("asking about the plan: %w", err)
	}
	if answer.Decision != policy.Reject && !slices.ContainsFunc(q.Options, func(o policy.Option) bool { return o.Value == answer.Option }) {
		answer = policy.Answer{Via: answer.Via}
	}
	s.tellAnswer(q, answer)
	if answer.Decision == policy.Reject {
		return "", tool.Refused(tool.ByUser, "", &policy.RefusedError{Reason: answer.Reason})
	}
	return answer.Option, nil
}
