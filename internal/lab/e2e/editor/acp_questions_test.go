//go:build linux

package editor

import (
	"context"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPApprovals answers the question about a call in every way.
func TestACPApprovals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer string
		// asked is how often the user is asked about two calls in one session and one in the next. made is how many calls run.
		asked, made int
	}{
		"once":      {"once", 3, 3},
		"session":   {"session", 2, 3},
		"always":    {"always", 1, 3},
		"reject":    {"reject", 3, 0},
		"cancelled": {"", 3, 0},
		"unknown":   {"what?", 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			call := "  - {text: First., tool_calls: [{name: Bash, arguments: {command: echo x >>made}}]}\n  - {text: Then.}\n"
			plays(p, call+call)
			p.Write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Bash]}}\n")
			e := p.Edit()
			asked := 0
			e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
				asked++
				if len(r.Options) != 4 || r.ToolCall.Title == nil || *r.ToolCall.Title != "Bash echo x >>made" {
					t.Errorf("asked %+v", r)
				}
				return row.answer
			}
			for _, prompts := range []int{2, 1} {
				id := e.Open()
				for range prompts {
					if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn {
						t.Errorf("it stopped because of %s", stop)
					}
				}
				status := "completed"
				if row.made == 0 {
					status = "failed"
				}
				e.Shows(id, "update call1 "+status)
			}
			e.Quit()
			if made := strings.Count(string(p.Read("made")), "x"); made != row.made || asked != row.asked {
				t.Errorf("asked %d times, ran %d times, want %d and %d", asked, made, row.asked, row.made)
			}
		})
	}
}

// TestACPPlan accepts a plan with one of the modes, and refuses it. A session begins in the mode that asks where nothing is enforced.
func TestACPPlan(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer string
		want   []string
		made   bool
	}{
		"accepted":  {"1", []string{"update call1 completed", "mode: edit"}, true},
		"refused":   {"reject", []string{"update call1 failed"}, false},
		"cancelled": {"", []string{"update call1 failed"}, false},
		"unknown":   {"once", []string{"update call1 failed"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			plays(p, "  - {text: Look., tool_calls: [{name: Plan, arguments: {plan: 'Make **it**.'}}]}\n"+
				"  - {text: Now., tool_calls: [{name: Write, arguments: {path: made, content: x}}]}\n  - {text: Then.}\n")
			p.Write("home/.aura/config/features/tools.yaml", "tools: {max_steps: 50}\n")
			p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {enabled: false}\n")
			e := p.Edit()
			e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
				if len(r.Options) != 4 || r.Options[1].Name != "yes, mode edit" || len(r.ToolCall.Content) != 1 || r.ToolCall.Content[0].Content.Content.Text.Text != "Make **it**." {
					t.Errorf("asked %+v", r)
				}
				return row.answer
			}
			opened, err := e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: p.Dir, McpServers: []acp.McpServer{}})
			p.Check(err)
			if got := string(opened.Modes.CurrentModeId); got != "ask" {
				t.Errorf("it begins in mode %q", got)
			}
			id := opened.SessionId
			_, err = e.Conn.SetSessionMode(e.Ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: "plan"})
			p.Check(err)
			if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn {
				t.Errorf("it stopped because of %s", stop)
			}
			e.Shows(id, row.want...)
			e.Quit()
			if made := p.Read("made") != nil; made != row.made {
				t.Errorf("the file was written: %v", made)
			}
		})
	}
}
