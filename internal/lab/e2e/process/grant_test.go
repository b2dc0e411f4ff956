//go:build linux

package process

import (
	"os"
	"testing"

	"github.com/creack/pty"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestGrantQuestion answers, on a terminal, the question whether a plugin is granted what it asks for.
func TestGrantQuestion(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		typed    string
		code     int
		installs bool
	}{
		"yes":          {"y\n", 0, true},
		"no":           {"n\n", 1, false},
		"nothing":      {"\n", 1, false},
		"end of input": {"\x04", 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := harness.NewProject(t)
			p.Write("caller/go.mod", "module caller\n\ngo 1.25\n")
			p.Write("caller/plugin.yaml", "description: Calls\nenv: [CALL_KEY]\ncondition: bash:\"touch ran\"\n")
			p.Write("caller/main.go", "package caller\n\nimport (\n\t\"context\"\n\t_ \"net/http\"\n\n\t\"github.com/idelchi/aura/sdk\"\n)\n\n"+
				"func BeforeChat(context.Context, sdk.BeforeChatContext) (sdk.Result, error) { return sdk.Result{}, nil }\n")
			screen, tty, err := pty.Open()
			p.Check(err)
			t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
			cmd := p.Command("plugins", "add", "./caller", "--no-vendor")
			cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
			cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
			record, err := os.Create(p.Path("stderr.txt"))
			p.Check(err)
			t.Cleanup(func() { _ = record.Close() })
			go func() { _, _ = record.ReadFrom(screen) }()
			p.Check(cmd.Start())
			a := p.Running(cmd)
			p.Await("stderr.txt", `plugin "caller" asks for: variables CALL_KEY, every host on the network, running commands in its condition: touch ran[\s\S]*Grant it\? \[y/N\] `)
			if _, err := os.Stat(p.Path(".aura/plugins/caller")); err == nil {
				t.Error("it was installed before the answer")
			}
			_, err = screen.WriteString(row.typed)
			p.Check(err)
			if code := a.Wait(); code != row.code {
				t.Errorf("exit code %d, want %d\n%s", code, row.code, p.Stderr())
			}
			if _, err := os.Stat(p.Path(".aura/plugins/caller")); (err == nil) != row.installs {
				t.Errorf("it is installed: %v", err == nil)
			}
		})
	}
}
