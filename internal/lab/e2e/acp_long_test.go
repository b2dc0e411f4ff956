//go:build linux

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPLong has 200 turns with tools in one session: each with an approval, in every kind of answer, every tenth is cancelled, and
// every twentieth crashes a plugin. Each call has an end, and the session is complete.
func TestACPLong(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.approvedTurns(acpTurns)
	p.plugin("noisy", "name: noisy\n", noisyPlugin)
	e := p.edit()
	answers := []string{"once", "session", "reject", "always", ""}
	turn, want := 0, 0
	id := e.open()
	e.permit = func(context.Context, acp.RequestPermissionRequest) string {
		if turn%10 == 9 {
			e.cancel(id)
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
		if stop := e.prompt(id, prompt); stop != stops {
			t.Errorf("turn %d stopped because of %s, want %s", turn, stop, stops)
		}
		if stops == acp.StopReasonCancelled {
			e.prompt(id, "the rest of the script's turn")
		}
	}
	e.prompt(id, "/reload")
	raw, err := e.conn.CallExtension(e.ctx, "_aura/plugins", map[string]any{"sessionId": id})
	p.check(err)
	if !strings.Contains(string(raw), `"name":"noisy"`) {
		t.Errorf("the plugins are %s", raw)
	}
	begun, ended := map[string]bool{}, map[string]bool{}
	e.mu.Lock()
	for _, n := range e.updates {
		if c := n.Update.ToolCall; c != nil {
			begun[string(c.ToolCallId)] = true
		}
		if c := n.Update.ToolCallUpdate; c != nil && c.Status != nil && (*c.Status == "completed" || *c.Status == "failed") {
			ended[string(c.ToolCallId)] = true
		}
	}
	e.mu.Unlock()
	if len(begun) != acpTurns || len(ended) != acpTurns {
		t.Errorf("%d calls began and %d ended, want %d", len(begun), len(ended), acpTurns)
	}
	e.quit()
	if made := strings.Count(string(p.read("made")), "\n"); made != want {
		t.Errorf("%d calls ran, want %d", made, want)
	}
	complete(t, p.saved())
}
