package host

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestCrashNotice checks that the notice of a crash names the calls that it ended, and leaves the reason to the result of a tool call.
func TestCrashNotice(t *testing.T) {
	t.Parallel()
	const inTool = "its process died in a tool call, whose result shows why"
	rows := []struct {
		name  string
		doing []string
		want  string
	}{
		{"idle", nil, "boom"},
		{"a hook", []string{"BeforeChat"}, "BeforeChat: boom"},
		{"a command", []string{PointCommand}, "command: boom"},
		{"hooks side by side", []string{"event b", "AfterResponse", "event b"}, "AfterResponse, event b: boom"},
		{"a tool", []string{PointTool}, inTool},
		{"tools and a hook", []string{PointTool, "BeforeChat", PointTool}, inTool},
	}
	for _, row := range rows {
		if got := (&child{doing: row.doing}).crashNotice(errors.New("boom")); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

// TestReported checks that the error of a call tells whether a notice reported it, and that a call does not wait for a process that does
// not end.
func TestReported(t *testing.T) {
	t.Parallel()
	rows := []struct {
		name       string
		kind       ErrorKind
		ends, want bool
	}{
		{"a crash", KindCrash, true, true},
		{"a deadline", KindTimeout, true, true},
		{"a process that does not end", KindTimeout, false, false},
		{"an error of the plugin", KindPlugin, true, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newSupervisor(&Options{}, Spec{Plugin: manifest.Plugin{Name: "p"}}, nil)
				c := &child{proc: &hostProcess{}}
				s.life.state, s.life.cur = StateReady, c
				defer s.life.end()
				failure := &Error{Kind: row.kind, Err: errors.New("boom")}
				ended := make(chan error)
				go func() { ended <- s.reported(c, failure) }()
				synctest.Wait() // until the call waits, or has returned
				if row.ends {
					s.life.mu.Lock()
					_, _ = s.retire(StateStopped, restartedByUser, nil)
					s.life.mu.Unlock()
				}
				if err := <-ended; !errors.Is(err, failure) || failure.Reported() != row.want {
					t.Errorf("%v: reported is not %v", err, row.want)
				}
			})
		})
	}
}
