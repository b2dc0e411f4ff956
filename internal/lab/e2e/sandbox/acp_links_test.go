//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"

	acp "github.com/coder/acp-go-sdk"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestACPLinks links to a private key in every spelling. A link is a mention: the same function reads both, so the sandbox refuses
// both, with the same words. Without a sandbox both are read.
func TestACPLinks(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for _, uid := range harness.CageUsers() {
		for _, kind := range []string{freeRun, confinedRun} {
			t.Run(fmt.Sprintf("%d/%s", uid, kind), func(t *testing.T) {
				t.Parallel()
				p := newPlanted(t, plant{}, uid, kind)
				key, work := p.Path("../home/.ssh/id_rsa"), p.Dir
				p.Check(os.Symlink(key, p.Path("link")))
				spellings := map[string]acp.ContentBlock{
					"mention": acp.TextBlock("@" + key),
					"link":    acp.ResourceLinkBlock("key", "file://"+key),
					"host":    acp.ResourceLinkBlock("key", "file://localhost"+key),
					"percent": acp.ResourceLinkBlock("key", "file://"+strings.ReplaceAll(key, "ssh", "%73sh")),
					"dots":    acp.ResourceLinkBlock("key", "file://"+work+"/%2e%2e/home/.ssh/id_rsa"),
					"symlink": acp.ResourceLinkBlock("key", "file://"+work+"/link"),
				}
				p.Write(".aura/config/talk.yaml", "turns:\n"+strings.Repeat("  - text: All done.\n", len(spellings)))
				flags := []string{}
				if kind == freeRun {
					flags = []string{"--config", "../off", "--config", ".aura"}
				}
				e := p.Edit(flags...)
				id := e.Open()
				for name, block := range spellings {
					if _, err := e.Conn.Prompt(e.Ctx, acp.PromptRequest{SessionId: id, Prompt: []acp.ContentBlock{block}}); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				}
				shown := strings.Join(e.Seen(id), "\n")
				e.Quit()
				refused := strings.Count(shown, "is a place of secrets")
				attached := strings.Count(harness.CompactJSON(p.Saved().Messages), cageSecret)
				if want := len(spellings); kind == freeRun && attached != want || kind == confinedRun && (refused != want || attached > 0) {
					t.Errorf("the key was attached %d times and refused %d times\n%s", attached, refused, shown)
				}
			})
		}
	}
}
