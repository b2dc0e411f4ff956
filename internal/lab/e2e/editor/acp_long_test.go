//go:build linux

package editor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPLong has 200 turns with tools in one session: each with an approval, in every kind of answer, every tenth is cancelled, and
// every twentieth crashes a plugin. Each call has an end, and the session is complete.
func TestACPLong(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	approvedTurns(p, acpTurns)
	p.Plugin("noisy", "name: noisy\n", noisyPlugin)
	e := p.Edit()
	answers := []string{"once", "session", "reject", "always", ""}
	turn, want := 0, 0
	id := e.Open()
	e.Permit = func(context.Context, acp.RequestPermissionRequest) string {
		if turn%10 == 9 {
			e.Cancel(id)
			return ""
		}
		return answers[turn%len(answers)]
	}
	for ; turn < acpTurns; turn++ {
		prompt, stops := fmt.Sprintf("turn %d", turn), acp.StopReasonEndTurn
		switch {
		case turn%10 == 9:
			stops = acp.StopReasonCancelled
		case answers[turn%len(answers)] != "reject" && answers[turn%len(answers)] != "":
			want++
		}
		if turn%20 == 7 {
			prompt += " crash"
		}
		if stop := e.Prompt(id, prompt); stop != stops {
			t.Errorf("turn %d stopped because of %s, want %s", turn, stop, stops)
		}
		if stops == acp.StopReasonCancelled {
			e.Prompt(id, "the rest of the script's turn")
		}
	}
	e.Prompt(id, "/reload")
	raw, err := e.Conn.CallExtension(e.Ctx, "_aura/plugins", map[string]any{"sessionId": id})
	p.Check(err)
	if !strings.Contains(string(raw), `"name":"noisy"`) {
		t.Errorf("the plugins are %s", raw)
	}
	begun, ended := map[string]bool{}, map[string]bool{}
	e.Mu.Lock()
	for _, n := range e.Updates {
		if c := n.Update.ToolCall; c != nil {
			begun[string(c.ToolCallId)] = true
		}
		if c := n.Update.ToolCallUpdate; c != nil && c.Status != nil && (*c.Status == "completed" || *c.Status == "failed") {
			ended[string(c.ToolCallId)] = true
		}
	}
	e.Mu.Unlock()
	if len(begun) != acpTurns || len(ended) != acpTurns {
		t.Errorf("%d calls began and %d ended, want %d", len(begun), len(ended), acpTurns)
	}
	e.Quit()
	if made := strings.Count(string(p.Read("made")), "\n"); made != want {
		t.Errorf("%d calls ran, want %d", made, want)
	}
	harness.Complete(t, p.Saved())
}
