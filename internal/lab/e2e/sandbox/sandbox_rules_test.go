//go:build linux

package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/state"
	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	harness.Commands["listen"] = listen
	harness.Preparations["confined"] = harness.Preparation{Begin: beginConfined}
}

// beginConfined runs scripts outside of the temporary directory, which every policy grants, with the home directory beside
// them.
func beginConfined(t *testing.T, _ string) testscript.Params {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	if _, err := harness.Weapon(); err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(harness.OutsideRoot, "aura-e2e-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		testneed.Missing(t, testneed.Outside, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return testscript.Params{WorkdirRoot: root, Setup: setupConfined}
}

func setupConfined(env *testscript.Env) error {
	if err := harness.Setup(env); err != nil {
		return err
	}
	home, stateDir := env.WorkDir+"-home", env.WorkDir+"-state"
	for name, value := range map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, ".cache"),
		"XDG_STATE_HOME": stateDir, "STATE": state.Locate(stateDir, "", env.WorkDir).Project,
	} {
		env.Setenv(name, value)
	}
	return os.Mkdir(home, 0o755)
}

// listen NETWORK FILE listens on a Unix socket of that name, or on a port that is written to the file.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listen NETWORK FILE")
	}
	address := ts.MkAbs(args[1])
	if args[0] != "unix" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen(args[0], address)
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	if args[0] != "unix" {
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(l.Addr().String()), 0o600))
	}
}

// holding is a command line that streams output and starts processes that leave its process group and ignore signals.
const holding = `tool_calls: [{name: Bash, arguments: {command: "(setsid sh -c 'trap \"\" TERM INT HUP; exec tail -f hold' &); echo early line; while ! test -e goon; do sleep 0.05; done; echo late line"}}]`

// TestSandboxBashEnds looks at the output of a confined command while it runs, and then lets it go on, interrupts aura, or
// kills it. No process is left behind in any case.
func TestSandboxBashEnds(t *testing.T) {
	t.Parallel()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	type end struct {
		act  func(a *harness.Aura)
		code int
	}
	ends := map[string]end{
		"goes_on":   {func(a *harness.Aura) { a.Write("goon", "") }, 0},
		"interrupt": {func(a *harness.Aura) { a.Signal(os.Interrupt) }, 130},
		"kill":      {func(a *harness.Aura) { a.Signal(syscall.SIGKILL) }, -1},
	}
	for _, uid := range harness.CageUsers() {
		for _, bare := range []bool{false, true} {
			for name, tt := range ends {
				t.Run(fmt.Sprintf("%s/%d/%t", name, uid, bare), func(t *testing.T) {
					t.Parallel()
					p := newCaged(t)
					p.Write("hold", "")
					p.Write(".aura/config/talk.yaml", harness.TalkWith(holding))
					hand(p, uid)
					if bare {
						withoutNamespaces(p)
					}
					endBash(p, tt.act, tt.code)
				})
			}
		}
	}
}

// withoutNamespaces runs aura, with its current wrapper, in an environment without process namespaces.
func withoutNamespaces(p *harness.Project) {
	p.T.Helper()
	inner := p.Wrapper
	p.ForbidNamespaces()
	p.Wrapper = append(p.Wrapper, inner...)
}

func endBash(p *harness.Project, act func(a *harness.Aura), code int) {
	p.T.Helper()
	a := p.Start("run", "go")
	p.Await("stderr.txt", "early line")
	act(a)
	if got := a.Wait(); got != code {
		p.T.Errorf("exit code %d, want %d\n%s", got, code, p.Stderr())
	}
	p.NoProcess()
	if code == 0 {
		p.Wants(p.Stderr(), "late line")
	}
}
