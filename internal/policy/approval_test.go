package policy_test

import (
	"testing"

	"github.com/idelchi/aura/internal/policy"
)

func TestApprovals(t *testing.T) {
	t.Parallel()
	var none, some policy.Approvals
	some.Add(policy.Approval{Tool: "Bash", Rule: "Bash:git *", Subjects: []string{"git push"}})
	some.Add(policy.Approval{Tool: "Patch", Rule: "Patch", Subjects: []string{"/src", "/docs"}})
	for name, row := range map[string]struct {
		call policy.Approval
		want bool
	}{
		"the same":            {policy.Approval{Tool: "Bash", Rule: "Bash:git *", Subjects: []string{"git push"}}, true},
		"a longer command":    {policy.Approval{Tool: "Bash", Rule: "Bash:git *", Subjects: []string{"git push -f"}}, false},
		"another rule":        {policy.Approval{Tool: "Bash", Rule: "Bash:*push*", Subjects: []string{"git push"}}, false},
		"another tool":        {policy.Approval{Tool: "Shell", Rule: "Bash:git *", Subjects: []string{"git push"}}, false},
		"one of two":          {policy.Approval{Tool: "Patch", Rule: "Patch", Subjects: []string{"/docs"}}, true},
		"both":                {policy.Approval{Tool: "Patch", Rule: "Patch", Subjects: []string{"/docs", "/src"}}, true},
		"one that is not":     {policy.Approval{Tool: "Patch", Rule: "Patch", Subjects: []string{"/docs", "/etc"}}, false},
		"about nothing known": {policy.Approval{Tool: "Patch", Rule: "Patch"}, false},
	} {
		if got := some.Cover(row.call); got != row.want {
			t.Errorf("%s: got %v", name, got)
		}
		if none.Cover(row.call) {
			t.Errorf("%s: covered by nothing", name)
		}
	}
}
