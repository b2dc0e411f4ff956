//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/policy"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestApprovedLines lets a model hide a command in a line whose only visible commands are approved: in the values of variables, or in
// operands that the shell evaluates. The control approves every call of Bash: the hidden command runs.
func TestApprovedLines(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "bash")
	for _, uid := range harness.CageUsers() {
		for name, row := range map[string]struct {
			pattern, line string
			runs          bool
		}{
			"prompt expansion":     {"Bash:echo *", `echo ${CODE@P}`, false},
			"arithmetic":           {"Bash:echo *", `echo $((PLACE))`, false},
			"indirection":          {"Bash:echo *", `echo ${!PLACE}`, false},
			"array subscript":      {"Bash:printf *", `printf -v 'a[$(touch ran)]' x`, false},
			"descriptor":           {"Bash:echo *", `echo x {a[$(touch ran)]}>/dev/null`, false},
			"visible":              {"Bash:touch *", `touch ran`, true},
			"all, expansion":       {"Bash", `echo ${CODE@P}`, true},
			"all, arithmetic":      {"Bash", `echo $((PLACE))`, true},
			"all, indirection":     {"Bash", `echo ${!PLACE}`, true},
			"all, array subscript": {"Bash", `printf -v 'a[$(touch ran)]' x`, true},
			"all, descriptor":      {"Bash", `echo x {a[$(touch ran)]}>/dev/null`, true},
		} {
			t.Run(fmt.Sprintf("%s/%d", name, uid), func(t *testing.T) {
				t.Parallel()
				p := newPlanted(t, plant{}, uid, confinedRun)
				p.Check(os.RemoveAll(p.Path(".aura/config/hooks")))
				p.Wrapper = append(p.Wrapper, "CODE=$(touch ran)", "PLACE=a[$(touch ran)]")
				p.Write(".aura/config/sandbox/env.yaml", "sandbox: {env: [CODE, PLACE]}\n")
				p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Bash]}}\n")
				p.Write(".aura/config/talk.yaml", fmt.Sprintf("turns:\n  - tool_calls: [{name: Bash, arguments: {command: %q}}]\n  - text: All done.\n", row.line))
				kept := policy.Store{Path: filepath.Join(p.State, "approvals.json")}
				p.Check(kept.Add(policy.Approval{Tool: "Bash", Source: "built-in", Rule: "Bash", Dir: p.Dir, Pattern: row.pattern}, time.Now()))
				hand(p, uid)
				said := p.Aura("run", "go")
				if _, err := os.Stat(p.Path("ran")); (err == nil) != row.runs {
					t.Errorf("the command ran: %v\n%s", err == nil, said)
				}
			})
		}
	}
}
