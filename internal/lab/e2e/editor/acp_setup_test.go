//go:build linux

package editor

import (
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"
)

// TestACPWithoutProvider opens a session where no model is set up. The editor learns by the protocol's own code what is missing, and the next
// session finds what the user has set up since.
func TestACPWithoutProvider(t *testing.T) {
	t.Parallel()
	p := harness.NewProject(t)
	p.Check(os.RemoveAll(p.Path(".aura")))
	p.Wrapper = []string{"env", "AURA_DEMONSTRATION=", "OLLAMA_HOST=127.0.0.1:1"}
	e := p.Edit()
	_, err := e.Conn.NewSession(e.Ctx, acp.NewSessionRequest{Cwd: e.Dir, McpServers: []acp.McpServer{}})
	if harness.CodeOf(err) != -32000 {
		t.Fatalf("code %d: %v", harness.CodeOf(err), err)
	}
	for _, want := range []string{"no provider is configured", "nothing answers at http://127.0.0.1:1", "ANTHROPIC_API_KEY", "run 'aura' in a terminal"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	p.Write(".aura/config/providers/test.yaml", "test: {type: script, file: talk.yaml}\n")
	plays(p, "  - {text: Found.}\n")
	id := e.Open()
	e.Prompt(id, "go")
	e.Shows(id, "agent: Found.")
	e.Quit()
}
