//go:build linux

package screen

import (
	"os"
	"strconv"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestInteractivePrograms puts programs and settings where tools can: in a directory of PATH inside the project, and in the working
// directory. The status command and the editor, which run unconfined without being typed, find neither. The control is a command that
// the user types: it finds both.
func TestInteractivePrograms(t *testing.T) {
	t.Parallel()
	for _, uid := range harness.CageUsers() {
		t.Run(strconv.Itoa(uid), func(t *testing.T) {
			t.Parallel()
			p := newStory(t, "  - text: Hello.\n")
			p.Write(".venv/bin/planted", "#!/bin/sh\necho found\n")
			p.Check(os.Chmod(p.Path(".venv/bin/planted"), 0o755))
			p.Write(".exrc", "found\n")
			p.Write("home/config/features/screen.yaml", `screen: {status: "planted 2>/dev/null || cat .exrc 2>/dev/null || echo clean status"}`+"\n")
			p.Write("home/config/features/tools.yaml", "tools: {mode: none}\n")
			if uid != os.Geteuid() {
				p.Give(uint32(uid))
			}
			s := startScreen(p, p.Command("--home", p.Path("home")), 80, 24, "SHELL=/bin/sh", "PATH="+p.Path(".venv/bin")+":"+os.Getenv("PATH"),
				"EDITOR=(planted || cat .exrc || echo clean editor) 2>/dev/null; read key; true").ready()
			s.shows(`clean status`)
			s.send("draft")
			s.shows(`> draft`)
			s.send(ctrlG)
			s.shows(`^clean editor$`)
			s.send("\n")
			s.shows(`> draft`)
			s.send("\x15!planted; cat .exrc" + enter)
			// Until the prompt is back, keys are for the command.
			s.shows(`^found\nfound\n[^>]*\n> *\nclean status`)
			s.send(ctrlD)
			s.end()
		})
	}
}
