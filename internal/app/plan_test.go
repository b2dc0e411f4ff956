package app

import (
	"context"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/settings/setup"
)

// planned is a conversation in which the model makes a plan, and then writes a file.
const planned = `
model: {name: talker, family: script, context_length: 8192, capabilities: [tools]}
turns:
  - {tool_calls: [{name: Plan, arguments: {plan: Write it.}}]}
  - {tool_calls: [{name: Write, arguments: {path: made, content: x}}]}
  - {text: Done.}
`

// allowing is a shell hook that answers every question whether a call may run.
const allowing = `all: {event: approval, matcher: ".*", command: "echo '{\"decision\": \"allow\"}'"}`

// TestPlan checks what an answer to a plan does, and that no hook gives it.
func TestPlan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer policy.Answer
		// hook allows what the policy asks about.
		hook, made bool
		told       string
	}{
		"accepted":                 {policy.Answer{Decision: policy.Once, Option: "auto"}, true, true, ""},
		"accepted, then refused":   {policy.Answer{Decision: policy.Once, Option: "ask"}, false, false, "the user said no"},
		"accepted, then by a hook": {policy.Answer{Decision: policy.Once, Option: "ask"}, true, true, ""},
		"refused":                  {policy.Answer{Reason: "shorter"}, true, false, "the user said no: shorter"},
		"no mode is named":         {policy.Answer{Decision: policy.Once}, true, false, "the user said no"},
		"an unknown mode":          {policy.Answer{Decision: policy.Always, Option: "other"}, true, false, "the user said no"},
		"the same mode":            {policy.Answer{Decision: policy.Once, Option: "plan"}, true, false, "the user said no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{".aura/config/talk.yaml": planned, ".aura/config/sandbox/none.yaml": "sandbox: {enabled: false}\n"}
			if row.hook {
				files[".aura/config/hooks/all.yaml"] = allowing
			}
			p := newPlace(t, files)
			p.o.Mode = "plan"
			asks := 0
			p.confirm = func(_ context.Context, q policy.Question) (policy.Answer, error) {
				if q.Tool != setup.PlanName {
					return policy.Answer{}, nil
				}
				if asks++; q.Text != "Write it." || len(q.Options) != 3 {
					t.Errorf("asked %+v", q)
				}
				return row.answer, nil
			}
			out := p.run(t.Context(), "Go")
			if out.err != nil || asks != 1 || p.has("made") != row.made || !strings.Contains(out.told(), row.told) {
				t.Errorf("asked %d times, made %v, told %q, %v", asks, p.has("made"), out.told(), out.err)
			}
		})
	}
}

// TestPlanUnattended checks that the tool is not offered where nobody can be asked, and that nothing is carried out.
func TestPlanUnattended(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{".aura/config/talk.yaml": planned})
	p.o.Mode = "plan"
	if out := p.run(t.Context(), "Go"); out.err != nil || p.has("made") || !strings.Contains(out.told(), `no tool "Plan"`) {
		t.Errorf("made %v, told %q, %v", p.has("made"), out.told(), out.err)
	}
}
