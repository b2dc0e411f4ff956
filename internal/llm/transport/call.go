package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/llm/classify"
	"github.com/idelchi/aura/sdk"
)

// Call collects what becomes of a request. It belongs to one request, and to whoever made it.
type Call struct {
	stream bool

	mu sync.Mutex
	// host is who was asked, as scheme://host.
	host    string
	failure *llm.Error
}

type key struct{}

// Stream begins a call that is answered by a stream of events. The context is for the request.
func Stream(ctx context.Context) (context.Context, *Call) { return begin(ctx, &Call{stream: true}) }

// Plain begins a call that is answered at once.
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

func (c *Call) note(e *llm.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure = e
	}
}

// Err is how the call failed: by the end of ctx, by what the transport saw, or else by what the library says. It is nil if
// none of them has failed.
func (c *Call) Err(ctx context.Context, library error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("calling model: %w", ctx.Err())
	case c.failure != nil:
		return c.failure
	default:
		return library
	}
}

// Finish is Err for a stream, which fails as well if it has ended before its end. Once all is said, a connection that is
// lost or silent does not matter any more.
func (c *Call) Finish(ctx context.Context, library error, complete bool) error {
	err := c.Err(ctx, library)
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
