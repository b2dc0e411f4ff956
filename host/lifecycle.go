package host

import (
	"context"
	"fmt"
	"sync"
	"time"
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

// lifecycle holds the state of a plugin: its specification, its current child, or why it has none.
//
// Its lock also guards what changes together with the child: the supervisor's code and native, the last state in reports, and of each
// child killedFor, reported, doing, listens, inflight, idle and tape. The locks of the mailbox, the outbox, the statistics and the log may be
// acquired while it is held, never the other way round.
type lifecycle struct {
	reports *reporter
	// ctx is cancelled by end when the supervisor is closed. pending waits for the supervisor's goroutines.
	ctx     context.Context //nolint:containedctx // it is the supervisor's own lifetime, not a caller's
	end     context.CancelFunc
	pending sync.WaitGroup

	// mu guards all fields below.
	mu    sync.Mutex
	spec  Spec
	state State
	cur   *child
	// down is why there is no child in the states quarantined and stopped.
	down error
	// changed is closed and replaced whenever state or cur changes.
	changed chan struct{}
	// generation counts reloads, so that a child that was started for an earlier generation is dropped.
	generation int
	budget     budget
	// cancelled holds a channel per cancelled call that the plugin still works on. It is closed when the call has ended or the child was
	// killed.
	cancelled []<-chan struct{}
}

func newLifecycle(spec Spec, reports *reporter) *lifecycle {
	l := &lifecycle{reports: reports, spec: spec, state: StateStopped, changed: make(chan struct{})}
	l.ctx, l.end = context.WithCancel(context.Background())
	return l
}

// over reports whether the supervisor is closed or being closed.
func (l *lifecycle) over() bool { return l.ctx.Err() != nil }

// set changes the state. The caller holds the lock.
func (l *lifecycle) set(state State, cur *child, down error) {
	l.state, l.cur, l.down = state, cur, down
	close(l.changed)
	l.changed = make(chan struct{})
	l.observe()
}

// observe reports the state if it changed. The caller holds the lock, so that changes are reported in order.
func (l *lifecycle) observe() { l.reports.state(l.shownState(), l.cur, l.down) }

// shownState returns the state that users see. The caller holds the lock.
func (l *lifecycle) shownState() State {
	if l.state == StateReady && l.cur.inflight > 0 {
		return StateBusy
	}
	return l.state
}

// renew begins a new generation with a new restart budget: a start that is pending no longer counts. The caller holds the lock.
func (l *lifecycle) renew() {
	l.generation++
	l.budget = budget{}
}

func (l *lifecycle) currentSpec() Spec {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.spec
}

// configure changes the configuration that is sent with calls.
func (l *lifecycle) configure(spec Spec) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spec = spec
}

// downReason returns why the plugin is no longer called, or nil.
func (l *lifecycle) downReason() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == StateQuarantined || l.state == StateStopped {
		return l.down
	}
	return nil
}

// acquire waits for a child that can be called, and counts a running call of it.
func (l *lifecycle) acquire(ctx context.Context, limit time.Duration) (*child, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		l.mu.Lock()
		c, state, down, changed := l.cur, l.state, l.down, l.changed
		if c != nil && c.proc.dead() {
			// The process is dead, but the supervisor has not handled its death yet; doing so will change the state.
			c, state = nil, StateRestarting
		}
		if c != nil {
			c.inflight++
			l.observe()
		}
		l.mu.Unlock()
		switch {
		case c != nil:
			return c, nil
		case state == StateQuarantined || state == StateStopped:
			return nil, &Error{Kind: KindDown, Err: notRunning(down)}
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil, &Error{Kind: KindDown, Err: fmt.Errorf("still %s after %s", state, limit)}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// awaitEnd waits until a state has ended, and returns why the plugin has no child then. It returns an error of its own if ctx is done or the
// supervisor is closed before.
func (l *lifecycle) awaitEnd(ctx context.Context, of State) (down, err error) {
	for {
		l.mu.Lock()
		state, down, changed := l.state, l.down, l.changed
		l.mu.Unlock()
		if state != of {
			return down, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-l.ctx.Done():
			return nil, errEnding
		}
	}
}

// kill kills a child and records the reason. The supervisor then handles its death.
func (l *lifecycle) kill(c *child, why string) {
	l.mu.Lock()
	if c.killedFor == "" {
		c.killedFor = why
	}
	l.mu.Unlock()
	c.proc.kill()
}
