package host

import (
	"cmp"
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
	s.mu.Lock()
	old, err := s.retire(StateRestarting, restartedByUser, errors.New(restartedByUser))
	if err != nil {
		s.mu.Unlock()
		return err
	}
	s.stats.restarts++
	s.notify(NoticeRestart, fmt.Sprintf("plugin %q is %s", s.spec.Name, restartedByUser))
	generation := s.generation
	// The old child may hold what the new one needs, such as a port, so it ends first.
	s.pending.Go(func() {
		if old != nil {
			old.stop()
		}
		s.pending.Add(1)
		s.launch(0, generation)
	})
	s.mu.Unlock()
	defer s.out.flush()
	return s.restarted()
}

// restarted waits until the plugin is ready, or returns why it is down.
func (s *supervisor) restarted() error {
	for {
		s.mu.Lock()
		state, down, changed := s.state, s.down, s.changed
		s.mu.Unlock()
		if state != StateRestarting {
			return Reason(down)
		}
		select {
		case <-changed:
		case <-s.life.Done():
			return errEnding
		}
	}
}

// quarantine ends the plugin's child at the request of the user. The plugin is not called again before a reload or a restart.
func (s *supervisor) quarantine() error {
	s.mu.Lock()
	old, err := s.retire(StateQuarantined, quarantinedByUser, errors.New(quarantinedByUser+"; /reload starts it again"))
	if err == nil {
		s.notify(NoticeQuarantine, fmt.Sprintf("plugin %q is %s and is no longer called (/reload starts it again)", s.spec.Name, quarantinedByUser))
	}
	s.mu.Unlock()
	if old != nil {
		old.stop()
	}
	s.out.flush()
	return err
}

var errEnding = errors.New("the session is ending")

// retire puts the plugin into a state without a child: why the child ends, and why there is none. It returns the child that the caller
// must stop, or nil. The caller notifies the user. A start that is still pending does not count any more. The caller holds the lock.
func (s *supervisor) retire(state State, why string, down error) (*child, error) {
	if s.life.Err() != nil {
		return nil, errEnding
	}
	if s.spec.Err != nil {
		return nil, s.spec.Err
	}
	old := s.cur
	s.dropNext()
	s.generation++
	s.budget = budget{}
	s.stats.lastExit = why
	if old != nil {
		old.killedFor = cmp.Or(old.killedFor, why)
		old.reported = true
	}
	s.log.printf("[aura] %s", why)
	s.set(state, nil, down)
	return old, nil
}
