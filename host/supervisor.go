package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/idelchi/aura/internal/base/stack"
)

// supervisor is aura's side of one plugin. It starts the child, replaces it when it dies, and gives up when it dies too often. Its parts
// own what else there is about a plugin.
type supervisor struct {
	opts *Options
	log  *logFile
	// peers returns the plugins of the fleet.
	peers func() []*Plugin

	// reports, mail, stats and fired have locks of their own. The lock of life also guards code and native.
	reports *reporter
	life    *lifecycle
	code    loadedCode
	native  nativeSwap
	mail    mailbox
	stats   callStats
	fired   firedPoints
	// hooking holds a value while a hook runs. Several conversations may have the same plugin, and plugins may rely on that their hooks never
	// run at the same time.
	hooking chan struct{}
}

func newSupervisor(o *Options, spec Spec, log *logFile) *supervisor {
	reports := newReporter(spec.Name, o)
	s := &supervisor{opts: o, log: log, reports: reports, life: newLifecycle(spec, reports), hooking: make(chan struct{}, 1)}
	s.native.sup = s
	return s
}

// start starts the first child in the background, unless that has been done already.
func (s *supervisor) start() {
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.state != StateStopped || s.life.down != nil || s.life.over() {
		return
	}
	s.life.set(StateStarting, nil, nil)
	s.life.pending.Add(1)
	go s.launch(0, s.life.generation)
}

// launch starts a child after a wait and installs it.
func (s *supervisor) launch(wait time.Duration, generation int) {
	stack.Grow()
	defer s.life.pending.Done()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.life.ctx.Done():
		return
	}
	c, err := s.startAsLoaded(s.life.ctx, s.life.currentSpec())
	if err != nil {
		s.failed(err, generation)
		return
	}
	s.install(c, generation)
}

// startAsLoaded starts a child that runs the source that the session loaded.
func (s *supervisor) startAsLoaded(ctx context.Context, spec Spec) (*child, error) {
	spec, err := s.asLoaded(spec)
	if err != nil {
		return nil, err
	}
	return s.startUnderPolicy(ctx, spec)
}

// install makes c the current child and watches it.
func (s *supervisor) install(c *child, generation int) {
	s.life.mu.Lock()
	if s.life.over() || generation != s.life.generation {
		s.life.mu.Unlock()
		c.stop()
		return
	}
	old := s.life.cur
	if !s.code.known {
		s.reports.warn(c.exports.Warnings)
	}
	s.code.adopt(c.exports)
	if !c.copied {
		s.code.version = c.version
	}
	s.life.set(StateReady, c, nil)
	s.native.compileAhead(c, generation)
	s.life.pending.Add(1)
	s.life.mu.Unlock()
	if old != nil {
		old.stop()
	}
	go func() {
		defer s.life.pending.Done()
		<-c.proc.exited()
		s.died(c)
	}()
}

// failed handles a child that did not start. A plugin that cannot be loaded stays down until it is reloaded. A plugin that
// crashed or hung while loading is restarted within its restart budget.
func (s *supervisor) failed(err error, generation int) {
	var e *Error
	if !errors.As(err, &e) {
		return // the supervisor is being closed
	}
	s.log.printf("[aura] %v", err)
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if generation != s.life.generation {
		return
	}
	s.stats.exited(fmt.Sprintf("%s: %v", e.Doing, e.Err))
	if e.Kind == KindLoad {
		s.life.set(StateStopped, nil, err)
		s.reports.notify(NoticeLoad, err.Error())
		return
	}
	s.retry(err, Reason(err).Error())
}

// died handles the end of a child that was ready.
func (s *supervisor) died(c *child) {
	// Cleaning up takes a moment. The state changes first, so that no caller gets the dead child meanwhile.
	defer c.stop()
	s.life.mu.Lock()
	defer s.life.mu.Unlock()
	if s.life.cur != c || s.life.over() {
		return // the child was replaced or the supervisor was closed
	}
	s.native.dropNext()
	err := c.proc.deathNote()
	if c.killedFor != "" {
		err = errors.New(c.killedFor)
	}
	s.stats.exited(err.Error())
	s.log.printf("[aura] %v", err)
	c.reported = true
	s.retry(err, c.crashNotice(err))
}

// retry restarts the child within the restart budget, or quarantines the plugin. why is the cause in the words of the notice. The caller
// holds the lock of the life cycle.
func (s *supervisor) retry(cause error, why string) {
	wait, ok := s.life.budget.spend(time.Now())
	if !ok {
		err := fmt.Errorf("quarantined after %d crashes; fix it and /reload. The last one: %w", crashLimit, cause)
		s.life.set(StateQuarantined, nil, err)
		s.reports.notify(NoticeQuarantine, fmt.Sprintf("plugin %q is quarantined after %d crashes and is no longer called (see `aura plugins logs %s`; /reload tries again). The last one: %s",
			s.life.spec.Name, crashLimit, s.life.spec.Name, why))
		return
	}
	s.stats.restarted()
	s.life.set(StateRestarting, nil, cause)
	when := "now"
	if wait > 0 {
		when = "in " + wait.String()
	}
	s.reports.notify(NoticeRestart, fmt.Sprintf("plugin %q is restarted %s: %s", s.life.spec.Name, when, why))
	s.life.pending.Add(1)
	go s.launch(wait, s.life.generation)
}

// close kills the child and stops all goroutines of the supervisor. It returns when everything has ended. A log that could not
// be written is reported by a notice, not as an error.
func (s *supervisor) close() {
	s.life.mu.Lock()
	s.life.end()
	c, starting, spec := s.life.cur, s.life.state == StateStarting, s.life.spec
	s.native.dropNext()
	s.life.set(StateStopped, nil, ErrClosing)
	s.life.mu.Unlock()
	if c != nil {
		s.reports.programs(c)
		c.stop()
	}
	s.mail.close()
	s.life.pending.Wait()
	if starting {
		s.native.leave(spec)
	}
	if err := s.log.Close(); err != nil {
		s.reports.notify(NoticeWarning, fmt.Sprintf("plugin %q: its output was not kept: %v", s.reports.plugin, err))
	}
	s.reports.flush()
}
