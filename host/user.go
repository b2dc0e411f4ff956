package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// The reasons for what the user did to a plugin. They appear as the last exit, in events and in the errors of interrupted calls.
const (
	restartedByUser   = "restarted by the user"
	quarantinedByUser = "quarantined by the user"
)

// restart replaces the plugin's child at the request of the user, whatever the state of the plugin is, and gives the plugin a new
// restart budget. It returns when the new child is ready, or the reason why the plugin stays down.
func (s *supervisor) restart() error {
	s.life.mu.Lock()
	err := s.restartFor(restartedByUser)
	s.life.mu.Unlock()
	if err != nil {
		return err
	}
	defer s.reports.flush()
	down, err := s.life.awaitEnd(context.Background(), StateRestarting)
	if err != nil {
		return err
	}
	return Reason(down)
}

// restartFor begins to replace the plugin's child. why completes the sentence of the notice. The caller holds the lock of the life cycle.
func (s *supervisor) restartFor(why string) error {
	old, err := s.retire(StateRestarting, why, errors.New(why))
	if err != nil {
		return err
	}
	s.stats.restarted()
	s.reports.notify(NoticeRestart, fmt.Sprintf("plugin %q is %s", s.life.spec.Name, why))
	generation := s.life.generation
	// The old child may hold what the new one needs, such as a port, so it ends first.
	s.life.pending.Go(func() {
		if old != nil {
			old.stop()
		}
		s.life.pending.Add(1)
		s.launch(0, generation)
	})
	return nil
}

// restartOutdated replaces the plugin's child if a file is hidden now that the child can read. While it works on another call it goes on:
// that call can read the file anyway.
func (s *supervisor) restartOutdated() {
	s.life.mu.Lock()
	c := s.life.cur
	s.life.mu.Unlock()
	if c == nil || c.proc.spec.Sandbox == nil || s.opts.Grants == nil {
		return
	}
	path := s.opts.Grants.Outdated(*c.proc.spec.Sandbox)
	if path == "" {
		return
	}
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.cur == c && c.inflight == 0 && len(s.life.cancelled) == 0 {
		// If the supervisor is being closed, there is no next call.
		_ = s.restartFor("restarted, because " + path + " is hidden now (sandbox.hidden)")
	}
}

// quarantine ends the plugin's child at the request of the user. The plugin is not called again before a reload or a restart.
func (s *supervisor) quarantine() error {
	s.life.mu.Lock()
	old, err := s.retire(StateQuarantined, quarantinedByUser, errors.New(quarantinedByUser+"; /reload starts it again"))
	if err == nil {
		s.reports.notify(NoticeQuarantine, fmt.Sprintf("plugin %q is %s and is no longer called (/reload starts it again)", s.life.spec.Name, quarantinedByUser))
	}
	s.life.mu.Unlock()
	if old != nil {
		old.stop()
	}
	s.reports.flush()
	return err
}

var errEnding = errors.New("the session is ending")

// retire puts the plugin into a state without a child: why the child ends, and why there is none. It returns the child that the caller
// must stop, or nil. The caller notifies the user. A start that is still pending does not count any more. The caller holds the lock of the
// life cycle.
func (s *supervisor) retire(state State, why string, down error) (*child, error) {
	if s.life.over() {
		return nil, errEnding
	}
	if s.life.spec.Err != nil {
		return nil, s.life.spec.Err
	}
	old := s.life.cur
	s.native.dropNext()
	s.life.renew()
	s.stats.exited(why)
	if old != nil {
		old.killedFor = cmp.Or(old.killedFor, why)
		old.reported = true
	}
	s.log.printf("[aura] %s", why)
	s.life.set(state, nil, down)
	return old, nil
}
