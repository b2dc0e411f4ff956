//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

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
			p := newProject(t)
			call := "  - {text: First., tool_calls: [{name: Bash, arguments: {command: echo x >>made}}]}\n  - {text: Then.}\n"
			p.plays(call + call)
			p.write(".aura/config/features/tools.yaml", "tools: {policy: {confirm: [Bash]}}\n")
			e := p.edit()
			asked := 0
			e.permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
				asked++
				if len(r.Options) != 4 || r.ToolCall.Title == nil || *r.ToolCall.Title != "Bash echo x >>made" {
					t.Errorf("asked %+v", r)
				}
				return row.answer
			}
			for _, prompts := range []int{2, 1} {
				id := e.open()
				for range prompts {
					if stop := e.prompt(id, "go"); stop != acp.StopReasonEndTurn {
						t.Errorf("it stopped because of %s", stop)
					}
				}
				status := "completed"
				if row.made == 0 {
					status = "failed"
				}
				e.shows(id, "update call1 "+status)
			}
			e.quit()
			if made := strings.Count(string(p.read("made")), "x"); made != row.made || asked != row.asked {
				t.Errorf("asked %d times, ran %d times, want %d and %d", asked, made, row.asked, row.made)
			}
		})
	}
}

// TestACPHosts answers the question about a connection in every way. The connections that were allowed fail, because there is no such host.
func TestACPHosts(t *testing.T) {
	t.Parallel()
	if os.Getenv(rerunBare) != "" {
		testneed.Missing(t, testneed.Namespaces, "rules for the network need them")
	}
	for name, row := range map[string]struct {
		answer string
		// asked is how often the user is asked about a connection in each of two calls.
		asked           int
		verdict, status string
	}{
		"once":      {"once", 2, "failed", "completed"},
		"session":   {"session", 1, "failed", "completed"},
		"always":    {"always", 1, "failed", "completed"},
		"reject":    {"reject", 2, "refused", "failed"},
		"cancelled": {"", 2, "refused", "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			call := "  - {text: First., tool_calls: [{name: Bash, arguments: {command: 'exec 3<>/dev/tcp/ask.invalid/80; cat <&3'}}]}\n  - {text: Then.}\n"
			p.plays(call + call)
			p.write(".aura/config/sandbox/sandbox.yaml", "sandbox: {network: {ask: true}}\n")
			e := p.edit()
			asked := 0
			e.permit = func(_ context.Context, r acp.RequestPermissionRequest) string {
				asked++
				shown, err := json.Marshal(r)
				if err != nil || len(r.Options) != 4 || !strings.Contains(string(shown), "connect to ask.invalid:80") {
					t.Errorf("asked %s, %v", shown, err)
				}
				return row.answer
			}
			id := e.open()
			for range 2 {
				if stop := e.prompt(id, "go"); stop != acp.StopReasonEndTurn {
					t.Errorf("it stopped because of %s", stop)
				}
			}
			e.shows(id, "update call2 "+row.status)
			e.quit()
			log, err := p.command("sandbox", "log", "--json").Output()
			p.check(err)
			if n := strings.Count(string(log), `"verdict": "`+row.verdict+`"`); n != 2 || asked != row.asked {
				t.Errorf("asked %d times, want %d; the log is %s", asked, row.asked, log)
			}
		})
	}
}
