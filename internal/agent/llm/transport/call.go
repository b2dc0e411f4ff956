package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/llm/classify"
	"github.com/idelchi/aura/sdk"
)

// Call records the outcome of a request. It belongs to one request and its caller.
type Call struct {
	stream bool

	mu sync.Mutex
	// host is the host that was asked, as scheme://host.
	host    string
	failure *llm.Error
}

type key struct{}

// Stream starts a call whose answer is a stream of events. The caller must use the returned context for the request.
func Stream(ctx context.Context) (context.Context, *Call) { return begin(ctx, &Call{stream: true}) }

// Plain starts a call whose answer is not a stream. The caller must use the returned context for the request.
func Plain(ctx context.Context) (context.Context, *Call) { return begin(ctx, &Call{}) }

func begin(ctx context.Context, c *Call) (context.Context, *Call) {
	return context.WithValue(ctx, key{}, c), c
}

func callOf(ctx context.Context) *Call {
	if c, ok := ctx.Value(key{}).(*Call); ok {
		return c
	}
	return &Call{}
}

func (c *Call) asked(host string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.host = host
}

func (c *Call) recordFailure(e *llm.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure = e
	}
}

// Err returns why the call failed: the error of ctx, else the failure that the transport recorded, else err, the caller's own
// error. It returns nil if there is none.
func (c *Call) Err(ctx context.Context, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("calling model: %w", ctx.Err())
	case c.failure != nil:
		return c.failure
	default:
		return err
	}
}

// Finish is like Err, but also fails if the stream ended before the answer was complete. If the answer is complete, a lost or
// silent connection is not an error.
func (c *Call) Finish(ctx context.Context, err error, complete bool) error {
	err = c.Err(ctx, err)
	failure, classified := errors.AsType[*llm.Error](err)
	switch {
	case complete && classified && failure.Type == sdk.ErrorTypeNetwork:
		return nil
	case err == nil && !complete:
		return c.cut()
	default:
		return err
	}
}

func (c *Call) cut() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return classify.Cut(c.host)
}
