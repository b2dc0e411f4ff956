//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInitAsks answers the question on a terminal.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	const mine = "---\nname: steps\n---\nMine.\n"
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
			u := newUser(t, "y\n", row.answer)
			dir := filled(t, map[string]string{".aura/config/modes/steps.md": mine})
			var out bytes.Buffer
			s := streams{in: u.terminal, out: &out, err: u, environ: []string{"XDG_STATE_HOME=" + t.TempDir()}}
			code := execute(t.Context(), s, append([]string{"--workdir", dir, "--home", "", "init", "--force"}, row.args...))
			if code != row.code || strings.Contains(u.String(), "Replace 1 file?") != row.asked {
				t.Errorf("exit code %d: %s", code, u.String())
			}
			if both := out.String() + u.String(); !strings.Contains(both, "-Mine.") {
				t.Errorf("no diff: %s", both)
			}
			text, err := os.ReadFile(filepath.Join(dir, ".aura/config/modes/steps.md"))
			if err != nil || (string(text) == mine) != row.kept {
				t.Errorf("%s %v", text, err)
			}
			if row.kept && exists(t, dir, ".aura/config/modes/explain.md") {
				t.Error("something was written")
			}
		})
	}
}
