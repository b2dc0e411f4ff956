// Package retry makes a provider try again where the same call may succeed later.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idelchi/aura/internal/llm"
)

// The values that stand for zero Options.
const (
	DefaultAttempts  = 3
	DefaultBaseDelay = time.Second
	DefaultMaxDelay  = 30 * time.Second
)

// patience is the longest wait that a service may ask for, if MaxDelay is not longer. A call whose service asks for more
// fails at once.
const patience = time.Minute

// Options say how often and how fast.
type Options struct {
	// MaxAttempts counts all requests of one call.
	MaxAttempts int
	// BaseDelay is the wait after the first failure. It doubles with each further one, up to MaxDelay.
	BaseDelay time.Duration
	MaxDelay  time.Duration
	// Notify is told of each failure that is tried again, before the wait. It may be nil.
	Notify func(Failure)
}

// Failure is an attempt that failed and is made again.
type Failure struct {
	// Attempt is its number, from 1.
	Attempt int
	Err     error
	// Delay passes before the next attempt.
	Delay time.Duration
}

// Provider is another one with patience.
type Provider struct {
	llm.Provider
	opts Options
}

var (
	_ llm.Provider = (*Provider)(nil)
	_ llm.Lister   = (*Provider)(nil)
)

// New wraps a provider.
func New(p llm.Provider, o Options) *Provider {
	if o.MaxAttempts <= 0 {
		o.MaxAttempts = DefaultAttempts
	}
	if o.BaseDelay <= 0 {
		o.BaseDelay = DefaultBaseDelay
	}
	if o.MaxDelay <= 0 {
		o.MaxDelay = DefaultMaxDelay
	}
	return &Provider{Provider: p, opts: o}
}

// Chat makes a call, and makes it again while its failure is one that passes. What onDelta has been given cannot be taken
// back, so a call that failed after that has failed.
func (p *Provider) Chat(ctx context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	for attempt := 1; ; attempt++ {
		delivered := false
		response, err := p.Provider.Chat(ctx, req, func(d llm.Delta) {
			delivered = true
			onDelta(d)
		})
		failure, passing := errors.AsType[*llm.Error](err)
		if err == nil || !passing || !failure.Retryable() || delivered || attempt >= p.opts.MaxAttempts || ctx.Err() != nil {
			return response, err
		}
		delay, ok := p.delay(attempt, failure.RetryAfter)
		if !ok {
			return response, err
		}
		if p.opts.Notify != nil {
			p.opts.Notify(Failure{Attempt: attempt, Err: err, Delay: delay})
		}
		if err := wait(ctx, delay); err != nil {
			return llm.Response{}, fmt.Errorf("calling model again: %w", err)
		}
	}
}

// delay is how long to wait after an attempt: what the service asks for, and no less than what is due anyway. Between half
// and all of that is left to chance, so that those who failed together do not come back together.
func (p *Provider) delay(attempt int, asked time.Duration) (time.Duration, bool) {
	if asked > max(patience, p.opts.MaxDelay) {
		return 0, false
	}
	due := p.opts.BaseDelay
	for range attempt - 1 {
		due = min(2*due, p.opts.MaxDelay)
	}
	due = min(due, p.opts.MaxDelay)
	return max(asked, due/2+rand.N(due/2+1)), true
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Models asks the provider for its models. One that cannot tell is an error.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	lister, ok := p.Provider.(llm.Lister)
	if !ok {
		return nil, errors.New("listing models: the provider cannot tell which there are")
	}
	return lister.Models(ctx)
}
