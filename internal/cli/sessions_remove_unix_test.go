//go:build unix

package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/system/state"
)

// TestSessionsRmAsks answers the question on a terminal.
func TestSessionsRmAsks(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name, answer string
		args         []string
		code         int
		asked, kept  bool
	}{
		{"yes", "y\n", nil, exitDone, true, false},
		{"no", "n\n", nil, exitError, true, true},
		{"nothing", "\n", nil, exitError, true, true},
		{"with --yes", "", []string{"--yes"}, exitDone, false, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, "y\n", row.answer)
			dir, xdg := t.TempDir(), t.TempDir()
			j, err := session.Create(state.Locate(xdg, "", dir).Sessions(), session.Meta{})
			if err != nil {
				t.Fatal(err)
			}
			if err := j.Append(llm.Message{Role: llm.RoleUser, Content: "a prompt"}); err != nil {
				t.Fatal(err)
			}
			if err := j.Close(session.End{Reason: session.ReasonDone}); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			s := streams{in: u.terminal, out: &out, err: u, environ: []string{"XDG_STATE_HOME=" + xdg}}
			code := execute(t.Context(), s, append([]string{"--workdir", dir, "--home", "", "sessions", "rm", j.ID()[:8]}, row.args...))
			if got := strings.Contains(u.String(), "Remove 1 session? [y/N]"); got != row.asked {
				t.Errorf("shown %q", u.String())
			}
			if _, err := os.Stat(j.Path()); code != row.code || (err == nil) != row.kept {
				t.Errorf("exit code %d, %v: %s", code, err, u.String())
			}
			if got := strings.Contains(out.String(), "removed session "+j.ID()[:8]); got == row.kept {
				t.Errorf("printed %q", out.String())
			}
		})
	}
}
