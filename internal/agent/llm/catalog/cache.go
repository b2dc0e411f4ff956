package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

const (
	// patience is the timeout for describing a model.
	patience = 3 * time.Second
	// pause is the delay before an unreachable service is asked again.
	pause = 30 * time.Second
)

// Cache stores the descriptions of models for the lifetime of the Cache. The zero value is ready to use. T is the provider's
// type for a description.
type Cache[T any] struct {
	mu      sync.Mutex
	entries map[string]entry[T]
}

type entry[T any] struct {
	value T
	known bool
	// until is when a failure expires. It is zero if the entry does not expire.
	until time.Time
}

// Get returns the description of a model. It calls ask for the first request of each name. It returns false if ask failed for
// any reason: a missing description is not worth an error.
func (c *Cache[T]) Get(ctx context.Context, name string, ask func(context.Context) (T, error)) (T, bool) {
	if e, ok := c.peek(name); ok {
		return e.value, e.known
	}
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	value, err := ask(asking)
	if ctx.Err() != nil {
		return value, false
	}
	e := entry[T]{value: value, known: err == nil}
	if failure, ok := errors.AsType[*llm.Error](err); err != nil && (!ok || failure.Retryable()) {
		e.until = time.Now().Add(pause)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]entry[T]{}
	}
	c.entries[name] = e
	return e.value, e.known
}

// Peek returns the cached description of a model. It does not ask the service.
func (c *Cache[T]) Peek(name string) (T, bool) {
	e, _ := c.peek(name)
	return e.value, e.known
}

func (c *Cache[T]) peek(name string) (entry[T], bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[name]
	if ok && !e.until.IsZero() && time.Now().After(e.until) {
		return entry[T]{}, false
	}
	return e, ok
}
