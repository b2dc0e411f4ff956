package mcp

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// pace holds the timeouts and delays of the connections of a Set.
type pace struct {
	// grace is the timeout for each step of a graceful end.
	grace time.Duration
	// haste replaces grace when the caller does not want to wait.
	haste time.Duration
	// stuck is how long a request may continue after its context is done.
	stuck time.Duration
	// listen is how long a service may take to start the stream of its own messages.
	listen time.Duration
	// settle is the minimum time between two refreshes of a server's tools.
	settle time.Duration
	// backoff returns the time between two attempts to connect. attempts is the number of failed attempts, at least 1.
	backoff func(attempts int) time.Duration
}

func defaultPace() pace {
	return pace{
		grace: 2 * time.Second, haste: 300 * time.Millisecond, stuck: 2 * time.Second, listen: 5 * time.Second, settle: 200 * time.Millisecond,
		backoff: func(attempts int) time.Duration { return min(time.Second<<min(attempts-1, 10), 30*time.Second) },
	}
}

// shared holds the state that the servers of a Set share.
type shared struct {
	options Options
	pace    pace
	// opened is set once Open has returned.
	opened atomic.Bool
	// hurried is set by Hurry. It makes grace return haste.
	hurried atomic.Bool

	telling sync.Mutex
	once    sync.Once
	// done is closed by stop.
	done chan struct{}
	// workers counts the goroutines that watch and follow the connections.
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

// changed reports a change of the tools to OnChange.
func (s *shared) changed() {
	if s.options.OnChange != nil && s.opened.Load() {
		s.options.OnChange()
	}
}

// grace returns the current timeout for each step of a graceful end.
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

// bound returns a context that is also cancelled when the Set is closed.
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

// wait waits for d. It returns the cause if the context is done first.
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
