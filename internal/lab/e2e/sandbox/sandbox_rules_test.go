//go:build linux

package sandbox

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

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
