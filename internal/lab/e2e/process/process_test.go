//go:build linux

package process

import (
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// stop stops the process of a plugin and returns after it has stopped.
func stop(p *harness.Project, plugin string) {
	p.T.Helper()
	pid := p.PID(plugin)
	p.Check(syscall.Kill(pid, syscall.SIGSTOP))
	p.Until("the plugin to stop", func() bool { return harness.Stopped(pid) })
}

// ended checks how aura exited at a moment: with this code, for this reason, with the session saved and no processes or files
// left behind.
func ended(a *harness.Aura, m moment, code int, reason session.Reason) {
	a.T.Helper()
	if got := a.Wait(); got != code {
		a.T.Errorf("exit code %d, want %d\n%s", got, code, a.Stderr())
	}
	s := a.Saved()
	switch {
	case s.End == nil:
		a.T.Error("the session has no end record")
	case s.End.Reason != reason:
		a.T.Errorf("the session ended for reason %q, want %q", s.End.Reason, reason)
	}
	if len(s.Messages) < m.messages {
		a.T.Errorf("%d messages are saved, want %d at least", len(s.Messages), m.messages)
	}
	if len(s.Messages) > 0 && s.Messages[0].Content != "go" {
		a.T.Errorf("the first message saved is %q", s.Messages[0].Content)
	}
	harness.Complete(a.T, s)
	a.NoTrace()
}

// soon is how long aura may take to exit on request. It should take less than two seconds; the rest is for slow machines.
const soon = 15 * time.Second

// within checks that a function returns within a limit.
func within(a *harness.Aura, limit time.Duration, what func()) {
	a.T.Helper()
	began := time.Now()
	what()
	if took := time.Since(began); took > limit {
		a.T.Errorf("it took %s", took)
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
			eachMoment(t, slices.Concat(moments, hard), func(p *harness.Project, m moment) {
				a := p.Start(m.args()...)
				m.come(p)
				a.Signal(way.signal)
				within(a, soon, func() { ended(a, m, way.code, session.ReasonInterrupted) })
			})
		})
	}
}

// TestTimeoutEndsAura ends aura by --timeout at every moment.
func TestTimeoutEndsAura(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *harness.Project, m moment) {
		// On a busy machine aura may not reach the moment in time. It then gets another attempt with more time.
		for _, timeout := range []string{"3s", "12s", "40s"} {
			a := p.Start(m.args("--timeout", timeout)...)
			if m.comesBefore(p, a.Done) {
				within(a, soon, func() { ended(a, m, 4, session.ReasonTimeout) })
				p.Wants(p.Stderr(), `not done within `+timeout+` \(--timeout\)`)
				return
			}
			p = newMoment(p.T, m)
		}
		p.T.Error("the moment never came in time")
	})
}

// TestCtrlC types Ctrl-C on a terminal, which sends the signal to all of its foreground processes.
func TestCtrlC(t *testing.T) {
	t.Parallel()
	eachMoment(t, moments, func(p *harness.Project, m moment) {
		screen, tty, err := pty.Open()
		p.Check(err)
		t := p.T
		t.Cleanup(func() { _ = screen.Close(); _ = tty.Close() })
		before, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		p.Check(err)
		cmd := p.Command(m.args()...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
		cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
		record, err := os.Create(p.Path("stderr.txt"))
		p.Check(err)
		t.Cleanup(func() { _ = record.Close() })
		go func() { _, _ = record.ReadFrom(screen) }()
		p.Check(cmd.Start())
		a := p.Running(cmd)
		m.come(p)
		_, err = screen.Write([]byte{3})
		p.Check(err)
		within(a, soon, func() { ended(a, m, 130, session.ReasonInterrupted) })
		after, err := unix.IoctlGetTermios(int(tty.Fd()), unix.TCGETS)
		p.Check(err)
		if *after != *before {
			t.Errorf("the terminal's modes were %+v and are %+v", *before, *after)
		}
	})
}

// TestKilledAura kills aura at every moment: no process is left. Then only the kernel can clean up, and the next aura removes
// leftover files.
func TestKilledAura(t *testing.T) {
	t.Parallel()
	eachMoment(t, slices.Concat(moments, hard), func(p *harness.Project, m moment) {
		a := p.Start(m.args()...)
		m.come(p)
		a.Signal(syscall.SIGKILL)
		a.Wait()
		p.NoProcess()
		s := p.Saved()
		if s.End != nil || len(s.Messages) < m.messages {
			p.T.Errorf("%d messages are saved, want %d at least and no end", len(s.Messages), m.messages)
		}
		p.Check(os.RemoveAll(p.Path(".aura/plugins/bad")))
		p.Run("plugins", "list")
		p.NoTrace()
	})
}

// TestForcedEnd interrupts aura until it exits, while a plugin delays the end of the session: aura does not wait for the plugin,
// and nothing is left.
func TestForcedEnd(t *testing.T) {
	t.Parallel()
	m := moment{source: harness.Source(
		`func SessionEnd(context.Context, sdk.SessionEndContext) (sdk.Result, error) { fmt.Println("here I am"); select {} }`)}
	p := newMoment(t, m)
	a := p.Start(m.args()...)
	m.come(p)
	p.Until("the end of aura", func() bool {
		select {
		case <-a.Done:
			return true
		default:
			// A signal that arrives after the exit has no receiver.
			_ = a.Cmd.Process.Signal(syscall.SIGINT)
			return false
		}
	})
	if code := a.Wait(); code != 130 {
		t.Errorf("exit code %d, want 130\n%s", code, a.Stderr())
	}
	p.Wants(p.Stderr(), "stopped before the cleanup was finished")
	a.NoTrace()
}
