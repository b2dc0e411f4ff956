//go:build linux

package process

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestScriptedLanguageServers runs the plugin's own tests, in which a scripted server crashes, hangs, is silent and sends garbage.
func TestScriptedLanguageServers(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	p := withLanguageServers(t)
	p.Run("plugins", "test", "--unsafe-plugins", "language-servers", "-v")
	p.Wants(p.Stdout(), `--- PASS: servers/a_crash`, `--- PASS: servers/a_hang`, `(?m)^ok .*coverage: 100\.0% of points$`)
}

// TestGopls lets a model write type errors, with the real server: while it works, after it was killed and while it hangs.
func TestGopls(t *testing.T) {
	t.Parallel()
	const (
		wrong     = `{name: Write, id: ID, arguments: {path: FILE.go, content: "package try\n\nvar FILE int = \"text\"\n"}}`
		pause     = `{name: Bash, arguments: {command: "touch waits; until test -e go-on; do sleep 0.1; done; rm go-on"}}`
		complaint = `:3:\d+: error: cannot use "text" .*\(compiler IncompatibleAssign\)`
	)
	for name, tt := range map[string]struct {
		signal syscall.Signal
		// wait is how many seconds an edit waits for a server that runs.
		wait string
		// found says which of three edits bring diagnostics. The signal comes after the first of them.
		found  [3]bool
		notice string
	}{
		"works":  {0, "50", [3]bool{true, true, true}, ""},
		"killed": {syscall.SIGKILL, "50", [3]bool{true, true, true}, ""},
		"hangs":  {syscall.SIGSTOP, "3", [3]bool{true, false, true}, `! language-servers: the language server gopls failed: it did not answer in time \(3s\)`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := testneed.Program(t, "gopls")
			p := withLanguageServers(t)
			p.Write("go.mod", "module try\n\ngo 1.25\n")
			p.Write(".aura/config/features/plugins.yaml", "plugins: {unsafe: true, config: {local: {language-servers: {wait: "+tt.wait+", start: 50}}}}\n")
			edit := func(name string) string {
				return "  - tool_calls: [" + strings.NewReplacer("FILE", name, "ID", name).Replace(wrong) + "]\n"
			}
			p.Script(edit("a") + "  - tool_calls: [" + pause + "]\n" + edit("b") + edit("c") + "  - text: Done.\n")
			a := p.Start("run", "go")
			p.Until("the pause", func() bool { _, err := os.Stat(p.Path("waits")); return err == nil })
			if tt.signal != 0 {
				servers := running(p.Dir, path)
				if len(servers) == 0 {
					t.Fatal("gopls does not run")
				}
				for _, pid := range servers {
					p.Check(syscall.Kill(pid, tt.signal))
				}
			}
			p.Write("go-on", "")
			a.Wait()
			messages := p.Saved().Messages
			for i, file := range []string{"a", "b", "c"} {
				at := slices.IndexFunc(messages, func(m llm.Message) bool { return m.ToolCallID == file })
				if at < 0 {
					t.Fatalf("there is no result of %s: %s", file, p.Stderr())
				}
				switch content := messages[at].Content; {
				case tt.found[i]:
					p.Wants([]byte(content), `(?m)^Diagnostics:\n`+file+`\.go`+complaint)
				case strings.Contains(content, "Diagnostics"):
					t.Errorf("%s has diagnostics: %s", file, content)
				}
			}
			if got := strings.Count(string(p.Stderr()), "the language server"); (tt.notice != "") != (got == 1) {
				t.Errorf("%d notices: %s", got, p.Stderr())
			}
			p.Wants(p.Stderr(), tt.notice)
			p.NoProcess()
		})
	}
}

// withLanguageServers returns a project with the plugin, turned on.
func withLanguageServers(t *testing.T) *harness.Project {
	t.Helper()
	p := harness.NewProject(t)
	p.Check(os.RemoveAll(p.Path(".aura/plugins/witness")))
	p.Check(os.CopyFS(p.Path(".aura/plugins/language-servers"), os.DirFS(filepath.Join(harness.Repo(), ".aura/plugins/diagnostics/language-servers"))))
	manifest := strings.Replace(string(p.Read(".aura/plugins/language-servers/plugin.yaml")), "disabled: true\n", "", 1)
	p.Write(".aura/plugins/language-servers/plugin.yaml", manifest)
	return p
}

// running returns the processes of a program in a directory.
func running(dir, program string) []int {
	var out []int
	for _, pid := range harness.Strays(dir) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err == nil && strings.HasPrefix(filepath.Base(string(line)), filepath.Base(program)) {
			out = append(out, pid)
		}
	}
	return out
}
