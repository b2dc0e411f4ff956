//go:build linux

package e2e

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/agent/session"
)

// stop stops the process of a plugin and returns after it has stopped.
func (p *project) stop(plugin string) {
	p.t.Helper()
	pid := p.pid(plugin)
	p.check(syscall.Kill(pid, syscall.SIGSTOP))
	p.until("the plugin to stop", func() bool { return stopped(pid) })
}

// ended checks how aura exited at a moment: with this code, for this reason, with the session saved and no processes or files
// left behind.
func (a *aura) ended(m moment, code int, reason session.Reason) {
	a.t.Helper()
	if got := a.wait(); got != code {
		a.t.Errorf("exit code %d, want %d\n%s", got, code, a.stderr())
	}
	s := a.saved()
	switch {
	case s.End == nil:
		a.t.Error("the session has no end record")
	case s.End.Reason != reason:
		a.t.Errorf("the session ended for reason %q, want %q", s.End.Reason, reason)
	}
	if len(s.Messages) < m.messages {
		a.t.Errorf("%d messages are saved, want %d at least", len(s.Messages), m.messages)
	}
	if len(s.Messages) > 0 && s.Messages[0].Content != "go" {
		a.t.Errorf("the first message saved is %q", s.Messages[0].Content)
	}
	complete(a.t, s)
	a.noTrace()
}

// soon is how long aura may take to exit on request. It should take less than two seconds; the rest is for slow machines.
const soon = 15 * time.Second

// within checks that a function returns within a limit.
func (a *aura) within(limit time.Duration, what func()) {
	a.t.Helper()
	began := time.Now()
	what()
	if took := time.Since(began); took > limit {
		a.t.Errorf("it took %s", took)
	}
}

// TestSignalsEndAura interrupts and terminates aura at every moment: it ends soon, the session is saved, and nothing is left.
func TestSignalsEndAura(t *testing.T) {
	t.Parallel()
	for _, way := range []struct {
		name   string
		signal syscall.Signal
		code   int
	}{
		{"interrupt", syscall.SIGINT, 130},
		{"terminate", syscall.SIGTERM, 143},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			eachMoment(t, slices.Concat(moments, hard), func(p *project, m moment) {
				a := p.start(m.args()...)
				m.come(p)
				a.signal(way.signal)
				a.within(soon, func() { a.ended(m, way.code, session.ReasonInterrupted) })
			})
		})
	}
}

// TestTimeoutEndsAura ends aura by --timeout at every moment.
func TestTimeoutEndsAura(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *project, m moment) {
		// On a busy machine aura may not reach the moment in time. It then gets another attempt with more time.
		for _, timeout := range []string{"3s", "12s", "40s"} {
			a := p.start(m.args("--timeout", timeout)...)
			if m.comesBefore(p, a.done) {
				a.within(soon, func() { a.ended(m, 4, session.ReasonTimeout) })
				p.wants(p.stderr(), `not done within `+timeout+` \(--timeout\)`)
				return
			}
			p = newMoment(p.t, m)
		}
		p.t.Error("the moment never came in time")
	})
}

// TestCtrlC types Ctrl-C on a terminal, which sends the signal to all of its foreground processes.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *project, m moment) {
		screen, tty, err := pty.Open()
		p.check(err)
		t := p.t
		t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
		before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		p.check(err)
		cmd := p.command(m.args()...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
		record, err := os.Create(p.path("stderr.txt"))
		p.check(err)
		t.Cleanup(func() { _ = record.Close() })
		go func() { _, _ = record.ReadFrom(screen) }()
		p.check(cmd.Start())
		a := p.running(cmd)
		m.come(p)
		_, err = screen.Write([]byte{3})
		p.check(err)
		a.within(soon, func() { a.ended(m, 130, session.ReasonInterrupted) })
		after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		p.check(err)
		if *after != *before {
			t.Errorf("the terminal's modes were %+v and are %+v", *before, *after)
		}
	})
}

// TestKilledAura kills aura at every moment: no process is left. Then only the kernel can clean up, and the next aura removes
// leftover files.
func TestKilledAura(t *testing.T) {
	t.Parallel()
	eachMoment(t, slices.Concat(moments, hard), func(p *project, m moment) {
		a := p.start(m.args()...)
		m.come(p)
		a.signal(syscall.SIGKILL)
		a.wait()
		p.noProcess()
		s := p.saved()
		if s.End != nil || len(s.Messages) < m.messages {
			p.t.Errorf("%d messages are saved, want %d at least and no end", len(s.Messages), m.messages)
		}
		p.check(os.RemoveAll(p.path(".aura/plugins/bad")))
		p.run("plugins", "list")
		p.noTrace()
	})
}

// TestForcedEnd interrupts aura until it exits, while a plugin delays the end of the session: aura does not wait for the plugin,
// and nothing is left.
func TestForcedEnd(t *testing.T) {
	t.Parallel()
	m := moment{source: source(
		`func SessionEnd(context.Context, sdk.SessionEndContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)}
	p := newMoment(t, m)
	a := p.start(m.args()...)
	m.come(p)
	p.until("the end of aura", func() bool {
		select {
		case <-a.done:
			return true
		default:
			// A signal that arrives after the exit has no receiver.
			_ = a.cmd.Process.Signal(syscall.SIGINT)
			return false
		}
	})
	if code := a.wait(); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, a.stderr())
	}
	p.wants(p.stderr(), "stopped before the cleanup was finished")
	a.noTrace()
}
