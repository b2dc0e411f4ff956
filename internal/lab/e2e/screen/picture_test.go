//go:build linux

package screen

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// crashTurns are what the model says in the picture of the README.
const crashTurns = `  - text: I look at the source.
    tool_calls: [{name: Ls, arguments: {path: src}}]
    usage: {input: 1200, output: 40}
  - text: Two files. I read greet.go.
    tool_calls: [{name: Read, arguments: {path: src/greet.go}}]
    usage: {input: 1300, output: 40}
  - text: "The function **Greet** greets by name. It has no test yet."
    usage: {input: 1400, output: 40}
`

// TestPicture draws the screen of a conversation in which the example plugin crashes, and compares it with the pictures of the README,
// which -update writes.
func TestPicture(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	for theme, colours := range map[string]palette{"light": lightPalette, "dark": darkPalette} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			p, s := crashing(t, theme)
			s.shows(`is restarted now: AfterToolExecution`, `^The function Greet`, `^talker · \d% context · 4\.0k tokens · .* · 1 plugin ready$`)
			s.hides(spinner)
			got := colours.svg("The screen of aura: a plugin crashes and is restarted, and the conversation continues", s.picture(p.Dir))
			path := filepath.Join(harness.Repo(), "docs", "images", "crash-"+theme+".svg")
			if *harness.Update {
				p.Check(os.MkdirAll(filepath.Dir(path), 0o755))
				p.Check(os.WriteFile(path, []byte(got), 0o644)) //nolint:gosec // it is part of the source
			}
			want, err := os.ReadFile(path)
			p.Check(err)
			if got != string(want) {
				t.Errorf("%s is not up to date: run go test ./internal/lab/e2e/screen -run TestPicture -update\n%s", path, firstDifference(got, string(want)))
			}
			s.send(ctrlD)
			s.end()
		})
	}
}

// crashing starts the conversation of the picture.
func crashing(t *testing.T, theme string) (*harness.Project, *screen) {
	t.Helper()
	p := harness.NewProject(t)
	p.Check(os.RemoveAll(p.Path(".aura/plugins")))
	p.Check(harness.Overlay(filepath.Join(harness.Repo(), "examples", "crash", "plugins"), p.Path(".aura/plugins")))
	p.Check(os.MkdirAll(filepath.Join(p.Home, ".aura", "config", "features"), 0o755))
	p.Check(os.WriteFile(filepath.Join(p.Home, ".aura", "config", "features", "screen.yaml"), []byte("screen: {theme: "+theme+"}\n"), 0o600))
	p.Write("src/greet.go", "package greet\n\nfunc Greet(name string) string { return \"Hello, \" + name }\n")
	p.Write("src/go.mod", "module greet\n")
	p.Script(crashTurns)
	// The lines are not broken, so the length of the project's path changes nothing but the path.
	return p, startScreen(p, p.Command("What does src do?"), 300, 40)
}

// picture returns the rows of the screen that are drawn: without the empty ones around them, and with fixed texts for what differs from
// run to run.
func (s *screen) picture(dir string) []row {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rows []row
	for y := range s.emulator.Height() {
		var r row
		for x := range s.emulator.Width() {
			if cell := s.emulator.CellAt(x, y); cell != nil && cell.Width > 0 {
				r = append(r, glyph{cell.Content, cell.Width, cell.Style.Fg, cell.Style.Bg, cell.Style.Attrs})
			}
		}
		rows = append(rows, r.replaced(regexp.MustCompile(regexp.QuoteMeta(dir)), "~/project").
			replaced(regexp.MustCompile(`\b[\d.]+ (?:ms|s)\b`), "12 ms").trimmed())
	}
	empty := func(r row) bool { return len(r) == 0 }
	for len(rows) > 0 && empty(rows[0]) {
		rows = rows[1:]
	}
	for len(rows) > 0 && empty(rows[len(rows)-1]) {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// firstDifference returns the first lines in which two texts differ.
func firstDifference(got, want string) string {
	wanted := append(strings.Split(want, "\n"), "")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wanted) || line != wanted[i] {
			return "got  " + line + "\nwant " + wanted[min(i, len(wanted)-1)]
		}
	}
	return "the file has more lines"
}
