package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pace is how patient the connections of a Set are.
type pace struct {
	// grace is how long each step of an orderly end may take.
	grace time.Duration
	// haste is the same where somebody waits for the end.
	haste time.Duration
	// stuck is how long a request may still be going on after its context has ended.
	stuck time.Duration
	// listen is how long a service may take to begin the stream of its own messages.
	listen time.Duration
	// settle is the least time between two refreshes of a server's tools.
	settle time.Duration
	// backoff is the time between two attempts to connect; the number of attempts that have led to nothing is at least 1.
	backoff func(attempts int) time.Duration
}

func defaultPace() pace {
	return pace{
		grace: 2 * time.Second, haste: 300 * time.Millisecond, stuck: 2 * time.Second, listen: 5 * time.Second, settle: 200 * time.Millisecond,
		backoff: func(attempts int) time.Duration { return min(time.Second<<min(attempts-1, 10), 30*time.Second) },
	}
}

// shared is what the servers of a Set have in common.
type shared struct {
	options Options
	pace    pace
	// opened tells that Open has returned.
	opened atomic.Bool
	// hurried tells that somebody waits for the end.
	hurried atomic.Bool

	telling sync.Mutex
	once    sync.Once
	// done is closed by stop.
	done chan struct{}
	// workers are the goroutines that follow the connections.
	workers sync.WaitGroup
}

func (s *shared) notify(text string) {
	if s.options.Notify == nil {
		return
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	s.options.Notify(text)
}

// changed tells that the tools are others than before.
func (s *shared) changed() {
	if s.options.OnChange != nil && s.opened.Load() {
		s.options.OnChange()
	}
}

// grace is how long each step of an orderly end may take now.
func (s *shared) grace() time.Duration {
	if s.hurried.Load() {
		return s.pace.haste
	}
	return s.pace.grace
}

func (s *shared) stop() { s.once.Do(func() { close(s.done) }) }

func (s *shared) stopped() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// bound returns a context that also ends with the Set.
func (s *shared) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.done:
			cancel(errClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// wait returns after a time, or with the cause once the context has ended.
func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
