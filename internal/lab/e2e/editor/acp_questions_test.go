//go:build linux

package editor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"

	"github.com/idelchi/aura/internal/lab/testneed"
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

// TestACPAccess asks about a path that the sandbox refuses to a command and to a tool for files, each in a call of its own that says what the path
// is, why it is refused, and that the command runs again. No answer means no, for the whole session.
func TestACPAccess(t *testing.T) {
	t.Parallel()
	if harness.Bare() {
		testneed.Missing(t, testneed.Namespaces, "the kernel's messages differ without them")
	}
	for name, row := range map[string]struct {
		answer string
		asked  int
		// ran is how often the command runs in two prompts, and reads how many results have the content.
		ran, reads int
	}{
		"once":      {"once", 4, 4, 4},
		"session":   {"session", 1, 3, 4},
		"always":    {"always", 1, 3, 4},
		"outside":   {"outside", 2, 3, 1}, // and the tool for files is refused, which counts for the command too
		"reject":    {"reject", 1, 2, 0},
		"cancelled": {"", 1, 2, 0},
		"unknown":   {"what?", 1, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			turns := "  - {text: First., tool_calls: [{name: Bash, arguments: {command: 'echo ran >>ran; cat ~/diary.txt'}}]}\n" +
				"  - {text: Second., tool_calls: [{name: Read, arguments: {path: home/diary.txt}}]}\n  - {text: Then.}\n"
			plays(p, turns+turns)
			p.Check(os.WriteFile(filepath.Join(p.Home, "diary.txt"), []byte("Dear diary\n"), 0o600))
			e := p.Edit()
			asked := 0
			e.Permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
				asked++
				text := r.ToolCall.Content[0].Content.Content.Text.Text
				command := strings.Contains(text, "for Bash: echo ran >>ran; cat ~/diary.txt\nrefused by the sandbox: no path of ro or rw covers it; sandbox.extra.ro can add one\n"+
					"the command ran until then; a yes runs it again from its beginning")
				want := []string{"once", "session", "always", "outside", "reject"}
				if !command {
					want = slices.Delete(want, 3, 4)
				}
				var options []string
				for _, o := range r.Options {
					options = append(options, string(o.OptionId))
				}
				if !slices.Equal(options, want) || !strings.Contains(text, "/home/diary.txt\n```") || !command && !strings.Contains(text, "for Read\nrefused by") {
					t.Errorf("asked %q with %q", text, options)
				}
				if row.answer == "outside" && !command {
					return "reject"
				}
				return row.answer
			}
			id := e.Open()
			for range 2 {
				if stop := e.Prompt(id, "go"); stop != acp.StopReasonEndTurn {
					t.Errorf("it stopped because of %s", stop)
				}
			}
			e.Quit()
			reads := 0
			for _, m := range p.Saved().Messages {
				if m.ToolCallID != "" && strings.Contains(m.Content, "Dear diary") {
					reads++
				}
			}
			if ran := strings.Count(string(p.Read("ran")), "ran"); ran != row.ran || reads != row.reads || asked != row.asked {
				t.Errorf("asked %d times, ran %d times, %d results, want %+v", asked, ran, reads, row)
			}
		})
	}
}
