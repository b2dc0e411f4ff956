package catalog

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/llm"
)

const (
	// patience is how long a service may take to describe a model.
	patience = 3 * time.Second
	// pause passes before a service that could not be reached is asked again.
	pause = 30 * time.Second
)

// Cache keeps what a service has said of its models, for as long as it lives. The zero value is ready. T is what a provider
// knows of a model.
type Cache[T any] struct {
	mu      sync.Mutex
	entries map[string]entry[T]
}

type entry[T any] struct {
	value T
	known bool
	// until is when a failure is forgotten.
	until time.Time
}

// Get returns what is known of a model, and asks the service the first time. It reports false if that has failed, however
// that came: a description is not worth an error.
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

// Peek returns what is known of a model, and asks nobody.
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
