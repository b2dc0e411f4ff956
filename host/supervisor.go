package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/base/stack"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/shared"
)

// State is the state of a plugin.
type State string

// The states of a plugin.
const (
	StateStarting    State = "starting"
	StateReady       State = "ready"
	StateBusy        State = "busy"
	StateRestarting  State = "restarting"
	StateQuarantined State = "quarantined"
	StateStopped     State = "stopped"
)

// supervisor is aura's side of one plugin. It owns the child, replaces it when it dies, and gives up when it dies too often.
type supervisor struct {
	opts *Options
	// name is the plugin's name, which never changes.
	name string
	log  *logFile
	out  outbox
	// peers returns the plugins of the fleet.
	peers func() []*Plugin
	// life is cancelled when the supervisor is closed. pending waits for its goroutines.
	life    context.Context //nolint:containedctx // it is the supervisor's own lifetime, not a caller's
	end     context.CancelFunc
	pending sync.WaitGroup

	mu    sync.Mutex
	spec  Spec
	state State
	cur   *child
	// changed is closed and replaced whenever state or cur changes.
	changed chan struct{}
	// exports may come from the cache before the first child is loaded. known reports whether exports is set. loaded reports
	// whether a child reported exports from the current files.
	exports shared.Exports
	known   bool
	loaded  bool
	// tree is the hash of the plugin's files, until the first child is started with it.
	tree string
	// version is the hash of the files that the session loaded; empty before the first load.
	version string
	// generation counts reloads, so that a child that was started for an earlier generation is dropped.
	generation int
	// next is a child with the compiled program, which waits until no call runs; nil if there is none. build is the state of that program.
	next  *child
	build Build
	// children counts the processes that were started for the plugin.
	children int
	// down is why there is no child in the states quarantined and stopped.
	down   error
	budget budget
	fired  map[hookpoint.Name]bool
	// failedOpen is set once the user knows that the plugin failed as a guard.
	failedOpen bool
	stats      stats
	mail       mailbox
	// settling holds a channel per cancelled call that the plugin still works on. It is closed when the call has ended or the child was
	// killed.
	settling []<-chan struct{}
	// observed is the state that was reported last.
	observed struct {
		state State
		child *child
	}
}

func newSupervisor(o *Options, spec Spec, log *logFile) *supervisor {
	life, end := context.WithCancel(context.Background())
	s := &supervisor{
		opts: o, name: spec.Name, spec: spec, log: log, life: life, end: end,
		state: StateStopped, changed: make(chan struct{}), fired: make(map[hookpoint.Name]bool),
	}
	s.observed.state = StateStopped
	return s
}

// set changes the state. The caller holds the lock.
func (s *supervisor) set(state State, cur *child, down error) {
	s.state, s.cur, s.down = state, cur, down
	close(s.changed)
	s.changed = make(chan struct{})
	s.observeState()
}

// start starts the first child in the background, unless that has been done already.
func (s *supervisor) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != StateStopped || s.down != nil || s.life.Err() != nil {
		return
	}
	s.set(StateStarting, nil, nil)
	s.pending.Add(1)
	go s.launch(0, s.generation)
}

// launch starts a child after a wait and installs it.
func (s *supervisor) launch(wait time.Duration, generation int) {
	stack.Grow()
	defer s.pending.Done()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.life.Done():
		return
	}
	c, err := s.startAsLoaded(s.life, s.specNow())
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

func (s *supervisor) specNow() Spec {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spec
}

// install makes c the current child and watches it.
func (s *supervisor) install(c *child, generation int) {
	s.mu.Lock()
	if s.life.Err() != nil || generation != s.generation {
		s.mu.Unlock()
		c.stop()
		return
	}
	old := s.cur
	if !s.known {
		s.warn(c.exports.Warnings)
	}
	s.exports, s.known, s.loaded = c.exports, true, true
	if !c.copied {
		s.version = c.version
	}
	s.set(StateReady, c, nil)
	s.compileAhead(c, generation)
	s.pending.Add(1)
	s.mu.Unlock()
	if old != nil {
		old.stop()
	}
	go func() {
		defer s.pending.Done()
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
	s.mu.Lock()
	defer s.mu.Unlock()
	if generation != s.generation {
		return
	}
	s.stats.lastExit = fmt.Sprintf("%s: %v", e.Doing, e.Err)
	if e.Kind == KindLoad {
		s.set(StateStopped, nil, err)
		s.notify(NoticeLoad, err.Error())
		return
	}
	s.retry(err)
}

// died handles the end of a child that was ready.
func (s *supervisor) died(c *child) {
	// Cleaning up takes a moment. The state changes first, so that no caller gets the dead child meanwhile.
	defer c.stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cur != c || s.life.Err() != nil {
		return // the child was replaced or the supervisor was closed
	}
	s.dropNext()
	err := c.proc.deathNote()
	if c.killedFor != "" {
		err = errors.New(c.killedFor)
	}
	s.stats.lastExit = err.Error()
	s.log.printf("[aura] %v", err)
	s.retry(err)
}

// retry restarts the child within the restart budget, or quarantines the plugin. The caller holds the lock.
func (s *supervisor) retry(cause error) {
	wait, ok := s.budget.spend(time.Now())
	if !ok {
		err := fmt.Errorf("quarantined after %d crashes; fix it and /reload. The last one: %w", crashLimit, cause)
		s.set(StateQuarantined, nil, err)
		s.notify(NoticeQuarantine, fmt.Sprintf("plugin %q is quarantined after %d crashes and is no longer called (see `aura plugins logs %s`; /reload tries again). The last one: %v",
			s.spec.Name, crashLimit, s.spec.Name, Reason(cause)))
		return
	}
	s.stats.restarts++
	s.set(StateRestarting, nil, cause)
	when := "now"
	if wait > 0 {
		when = "in " + wait.String()
	}
	s.notify(NoticeRestart, fmt.Sprintf("plugin %q is restarted %s: %v", s.spec.Name, when, Reason(cause)))
	s.pending.Add(1)
	go s.launch(wait, s.generation)
}

// notify tells the user something. The caller may hold the lock.
func (s *supervisor) notify(kind NoticeKind, text string) {
	if s.opts.Observer.OnNotice != nil {
		s.out.post(func() { s.opts.Observer.OnNotice(Notice{Plugin: s.name, Kind: kind, Text: text}) })
	}
}

func (s *supervisor) warn(warnings []string) {
	for _, w := range warnings {
		s.notify(NoticeWarning, fmt.Sprintf("plugin %q: %s", s.name, w))
	}
}

// close kills the child and stops all goroutines of the supervisor. It returns when everything has ended. A log that could not
// be written is reported by a notice, not as an error.
func (s *supervisor) close() {
	s.mu.Lock()
	s.end()
	c := s.cur
	s.dropNext()
	s.set(StateStopped, nil, errors.New("aura is shutting down"))
	s.mu.Unlock()
	if c != nil {
		s.reportPrograms(c)
		c.stop()
	}
	s.mail.close()
	s.pending.Wait()
	if err := s.log.Close(); err != nil {
		s.notify(NoticeWarning, fmt.Sprintf("plugin %q: its output was not kept: %v", s.name, err))
	}
	s.out.flush()
}
