//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/testneed"
)

// TestInitAsks answers the question on a terminal.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	const mine = "---\nname: plan\n---\nMine.\n"
	rows := []struct {
		name, answer string
		args         []string
		code         int
		asked, kept  bool
	}{
		{"yes", "y\n", nil, exitDone, true, false},
		{"yes in full", "YES\n", nil, exitDone, true, false},
		{"no", "n\n", nil, exitError, true, true},
		{"nothing", "\n", nil, exitError, true, true},
		{"with --yes", "", []string{"--yes"}, exitDone, false, false},
		{"as JSON", "y\n", []string{"--json"}, exitDone, true, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			terminal, keyboard := openTerminal(t)
			if _, err := io.WriteString(keyboard, row.answer); err != nil {
				t.Fatal(err)
			}
			dir := filled(t, map[string]string{".aura/config/modes/plan.md": mine})
			var out, errs bytes.Buffer
			s := streams{in: terminal, out: &out, err: &errs, environ: []string{"XDG_STATE_HOME=" + t.TempDir()}}
			code := execute(t.Context(), s, append([]string{"--workdir", dir, "--home", "", "init", "--force"}, row.args...))
			if code != row.code || strings.Contains(errs.String(), "Replace 1 file?") != row.asked {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
			if both := out.String() + errs.String(); !strings.Contains(both, "-Mine.") {
				t.Errorf("no diff: %s", both)
			}
			text, err := os.ReadFile(filepath.Join(dir, ".aura/config/modes/plan.md"))
			if err != nil || (string(text) == mine) != row.kept {
				t.Errorf("%s %v", text, err)
			}
			if row.kept && exists(t, dir, ".aura/config/modes/ask.md") {
				t.Error("something was written")
			}
		})
	}
}

func openTerminal(t *testing.T) (terminal, keyboard *os.File) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		testneed.Missing(t, testneed.Terminal, err)
	}
	t.Cleanup(func() { _, _ = terminal.Close(), keyboard.Close() })
	return terminal, keyboard
}
