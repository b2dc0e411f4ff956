package host

import (
	"context"
	"fmt"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/idelchi/aura/shared"
)

// idleClock measures how long a child ran no call but events. The lock of the life cycle guards it.
type idleClock struct {
	// calls counts the running calls, except events. Without one, the clock runs since a time.
	calls int
	since time.Time
	total time.Duration
	// changed is closed when the clock starts or stops; nil if nobody waits for that.
	changed chan struct{}
}

// begin stops the clock while a call runs.
func (k *idleClock) begin(now time.Time) {
	if k.calls == 0 {
		k.total = k.at(now)
		k.change()
	}
	k.calls++
}

// end starts the clock again, unless another call runs.
func (k *idleClock) end(now time.Time) {
	k.calls--
	if k.calls == 0 {
		k.since = now
		k.change()
	}
}

func (k *idleClock) change() {
	if k.changed != nil {
		close(k.changed)
		k.changed = nil
	}
}

// at returns what the clock shows.
func (k *idleClock) at(now time.Time) time.Duration {
	if k.calls > 0 || k.since.IsZero() {
		return k.total
	}
	return k.total + now.Sub(k.since)
}

// await returns a channel that is closed when the clock starts or stops.
func (k *idleClock) await() <-chan struct{} {
	if k.changed == nil {
		k.changed = make(chan struct{})
	}
	return k.changed
}

// idle returns true once the child has run no call but events for a time, not necessarily at a stretch. It returns false if over is closed
// before.
func (s *supervisor) idle(c *child, limit time.Duration, over <-chan struct{}) bool {
	s.life.mu.Lock()
	until := c.idle.at(time.Now()) + limit
	s.life.mu.Unlock()
	for {
		s.life.mu.Lock()
		left, running := until-c.idle.at(time.Now()), c.idle.calls > 0
		changed := c.idle.await()
		s.life.mu.Unlock()
		if left <= 0 && !running {
			return true
		}
		var due <-chan time.Time
		if !running {
			due = time.After(left)
		}
		select {
		case <-over:
			return false
		case <-due:
		case <-changed:
		}
	}
}

// callEvent calls the handlers of an event. They may have to wait for the calls that the child runs, also for those that begin later, and must
// never end these: only the time counts during which the child runs no other call. A handler that respects its context has some more of it
// before the child is killed.
func (s *supervisor) callEvent(ctx context.Context, c *child, limit time.Duration, fn func(context.Context, shared.Remote) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered, failed := make(chan struct{}), error(nil)
	go func() {
		failed = fn(ctx, c.Remote)
		close(answered)
	}()
	if !s.idle(c, limit, answered) {
		return failed
	}
	cancel()
	<-answered
	ended, quiesce := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer quiesce()
		// The error says that the child is gone, and nothing is left to wait for.
		_ = c.Quiesce(ended)
	}()
	if s.idle(c, 2*shared.Grace, ended.Done()) {
		quiesce()
		return status.Error(codes.DeadlineExceeded, "")
	}
	return &shared.Failure{Kind: shared.FailureError, Message: fmt.Sprintf("no answer within %s", limit)}
}
