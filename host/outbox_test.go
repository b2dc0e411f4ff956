package host

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-plugin"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestOutboxSlow lets a session read nothing while a plugin logs, dies and changes its state. Nobody waits for the session, what it gets later is in order,
// and lines are bounded.
func TestOutboxSlow(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	var got []string
	note := func(text string) {
		<-read
		got = append(got, text)
	}
	s := newSupervisor(&Options{Observer: Observer{
		OnNotice: func(n Notice) { note("notice " + n.Text) }, OnState: func(c StateChange) { note("state " + string(c.To)) },
		OnLog: func(_, _, text string) { note("line " + text) },
	}}, Spec{Plugin: manifest.Plugin{Name: "p"}}, nil)
	defer s.life.end()
	const lines = maxLines + 100
	s.life.mu.Lock()
	s.life.set(StateStarting, nil, nil)
	for i := range lines {
		s.reports.logLine("info", fmt.Sprint(i))
	}
	s.reports.notify(NoticeRestart, "restarted")
	s.life.set(StateRestarting, nil, nil)
	s.life.mu.Unlock()
	close(read)
	s.reports.flush()
	s.reports.logLine("info", "last")
	s.reports.flush()
	if got[0] != "state starting" || got[1] != "line 0" {
		t.Errorf("it begins with %q", got[:2])
	}
	end := got[len(got)-4:]
	want := []string{"notice restarted", "state restarting", "", "line last"}
	want[2] = end[2]
	if !slices.Equal(end, want) || !strings.Contains(end[2], "lines are only in the log") {
		t.Errorf("it ends with %q", end)
	}
	if n := len(got); n > maxLines+10 {
		t.Errorf("%d reports were kept", n)
	}
}

// TestUserEndsNext restarts and quarantines a plugin whose compiled program waits to take over: that process ends, too.
func TestUserEndsNext(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*supervisor) error{
		"quarantine": func(s *supervisor) error { return s.quarantine() },
		"restart": func(s *supervisor) error {
			s.life.mu.Lock()
			defer s.life.mu.Unlock()
			_, err := s.retire(StateRestarting, restartedByUser, nil)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSupervisor(&Options{}, Spec{}, nil)
			defer s.life.end()
			s.native.next = &child{proc: &hostProcess{}, client: &plugin.Client{}}
			if err := act(s); err != nil {
				t.Fatal(err)
			}
			s.life.mu.Lock()
			defer s.life.mu.Unlock()
			if s.native.next != nil {
				t.Error("it still waits")
			}
		})
	}
}
