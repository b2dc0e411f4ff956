//go:build linux

package process

import (
	"os"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestRemoveQuestion answers, on a terminal, the question whether files are removed that were written by hand.
func TestRemoveQuestion(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		typed string
		code  int
		stays bool
	}{
		"yes":          {"y\n", 0, false},
		"no":           {"n\n", 1, true},
		"nothing":      {"\n", 1, true},
		"end of input": {"\x04", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write(".aura/plugins/mine/go.mod", "module mine\n\ngo 1.25\n")
			p.Write(".aura/plugins/mine/plugin.yaml", "description: Mine\n")
			p.Write(".aura/plugins/mine/main.go", "package mine\n")
			screen, tty, err := pty.Open()
			p.Check(err)
			t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
			cmd := p.Command("plugins", "remove", "mine")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
			record, err := os.Create(p.Path("stderr.txt"))
			p.Check(err)
			t.Cleanup(func() { _ = record.Close() })
			go func() { _, _ = record.ReadFrom(screen) }()
			p.Check(cmd.Start())
			a := p.Running(cmd)
			p.Await("stderr.txt", `plugin "mine" was written by hand[\s\S]*Remove .*/mine\? \[y/N\] `)
			if _, err := os.Stat(p.Path(".aura/plugins/mine/main.go")); err != nil {
				t.Error("it was removed before the answer")
			}
			_, err = screen.WriteString(row.typed)
			p.Check(err)
			if code := a.Wait(); code != row.code {
				t.Errorf("exit code %d, want %d\n%s", code, row.code, p.Stderr())
			}
			if _, err := os.Stat(p.Path(".aura/plugins/mine/main.go")); (err == nil) != row.stays {
				t.Errorf("it is there: %v", err == nil)
			}
		})
	}
}
