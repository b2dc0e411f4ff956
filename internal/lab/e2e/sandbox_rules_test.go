//go:build linux

package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/state"
)

func init() {
	commands["listen"] = listen
	preparations["confined"] = preparation{begin: beginConfined}
}

// beginConfined runs scripts outside of the temporary directory, which every policy grants, with the home directory beside
// them.
func beginConfined(t *testing.T, _ string) testscript.Params {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	if _, err := weapon(); err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(outsideRoot, "aura-e2e-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		testneed.Missing(t, testneed.Outside, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return testscript.Params{WorkdirRoot: root, Setup: setupConfined}
}

func setupConfined(env *testscript.Env) error {
	if err := setup(env); err != nil {
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
		act  func(a *aura)
		code int
	}
	ends := map[string]end{
		"goes_on":   {func(a *aura) { a.write("goon", "") }, 0},
		"interrupt": {func(a *aura) { a.signal(os.Interrupt) }, 130},
		"kill":      {func(a *aura) { a.signal(syscall.SIGKILL) }, -1},
	}
	for _, uid := range cageUsers() {
		for _, bare := range []bool{false, true} {
			for name, tt := range ends {
				t.Run(fmt.Sprintf("%s/%d/%t", name, uid, bare), func(t *testing.T) {
					t.Parallel()
					p := newCaged(t)
					p.write("hold", "")
					p.write(".aura/config/talk.yaml", talkWith(holding))
					p.hand(uid)
					if bare {
						p.withoutNamespaces()
					}
					endBash(p, tt.act, tt.code)
				})
			}
		}
	}
}

// withoutNamespaces runs aura, with its current wrapper, in an environment without process namespaces.
func (p *project) withoutNamespaces() {
	p.t.Helper()
	inner := p.wrapper
	p.forbidNamespaces()
	p.wrapper = append(p.wrapper, inner...)
}

func endBash(p *project, act func(a *aura), code int) {
	p.t.Helper()
	a := p.start("run", "go")
	p.await("stderr.txt", "early line")
	act(a)
	if got := a.wait(); got != code {
		p.t.Errorf("exit code %d, want %d\n%s", got, code, p.stderr())
	}
	p.noProcess()
	if code == 0 {
		p.wants(p.stderr(), "late line")
	}
}
