//go:build linux

package editor

import (
	"context"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPModes calls tools in each mode in an editor: what asks there, and what runs. The unit test of all tools and modes is TestModesOfTools.
func TestACPModes(t *testing.T) {
	t.Parallel()
	for mode, row := range map[string]struct {
		asked int
		ran   []string
	}{
		"ask":  {2, nil},
		"edit": {1, []string{"written"}},
		"auto": {0, []string{"made", "written"}},
		"plan": {0, nil},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			plays(p, "  - tool_calls: [{name: Write, arguments: {path: written, content: x}}]\n"+
				"  - tool_calls: [{name: Bash, arguments: {command: 'echo x >made'}}]\n  - {text: That is all.}\n")
			p.Write(".aura/config/sandbox/sandbox.yaml", "sandbox: {enabled: false}\n")
			e := p.Edit()
			asked := 0
			e.Permit = func(context.Context, acp.RequestPermissionRequest) string {
				asked++
				return "reject"
			}
			id := e.Open()
			_, err := e.Conn.SetSessionMode(e.Ctx, acp.SetSessionModeRequest{SessionId: id, ModeId: acp.SessionModeId(mode)})
			p.Check(err)
			e.Prompt(id, "go")
			e.Shows(id, "That is all.")
			e.Quit()
			if asked != row.asked {
				t.Errorf("asked %d times, want %d", asked, row.asked)
			}
			for _, file := range []string{"made", "written"} {
				if ran := p.Read(file) != nil; ran != slices.Contains(row.ran, file) {
					t.Errorf("%s: the call ran: %v", file, ran)
				}
			}
		})
	}
}
