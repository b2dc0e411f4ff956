// Package retry wraps a provider and repeats calls that may succeed later.
package retry

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// The defaults of Options.
const (
	DefaultAttempts  = 3
	DefaultBaseDelay = time.Second
	DefaultMaxDelay  = 30 * time.Second
)

// patience is the longest wait that a service may ask for, unless MaxDelay is longer. If the service asks for more, the call
// fails at once.
const patience = time.Minute

// Options sets the number of attempts and the delays between them.
type Options struct {
	// MaxAttempts is the number of requests per call, including the first.
	MaxAttempts int
	// BaseDelay is the delay after the first failure. It doubles after each further failure, up to MaxDelay.
	BaseDelay time.Duration
	MaxDelay  time.Duration
	// Notify is called for each failure that is retried, before the delay. It may be nil.
	Notify func(Failure)
}

// Failure describes a failed attempt that is retried.
type Failure struct {
	// Attempt is the number of the attempt, starting at 1.
	Attempt int
	Err     error
	// Delay is the wait before the next attempt.
	Delay time.Duration
}

// Provider wraps another provider and retries its calls.
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

// Chat makes a call and retries it while its failure is retryable. It does not retry once onDelta was called, because the
// delivered pieces cannot be taken back.
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

// delay returns how long to wait after an attempt: at least as long as the service asks, and at least the backoff. Up to half
// of the backoff is random, so that clients that failed together do not retry together. It returns false if the service asks
// for too long a wait.
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

// Models lists the provider's models. It fails if the provider is not an llm.Lister.
func (p *Provider) Models(ctx context.Context) ([]llm.Model, error) {
	lister, ok := p.Provider.(llm.Lister)
	if !ok {
		return nil, errors.New("listing models: the provider cannot tell which there are")
	}
	return lister.Models(ctx)
}
