package catalog

import (
	"context"
	"errors"
	"slices"
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

// Cache stores the descriptions of models for the lifetime of the Cache. The zero value is ready to use.
type Cache struct {
	mu      sync.Mutex
	entries map[string]entry
}

type entry struct {
	model llm.Model
	// until is when a failure expires. It is zero if the entry does not expire.
	until time.Time
}

// Get returns the description of a model. It calls ask for the first request of each name. If ask fails for any reason, the
// built-in table describes the model: a missing description is not worth an error.
func (c *Cache) Get(ctx context.Context, name string, ask func(context.Context) (llm.Model, error)) llm.Model {
	e, ok := c.entry(name)
	if !ok {
		e = c.ask(ctx, name, ask)
	}
	e.model.Capabilities = slices.Clone(e.model.Capabilities)
	return e.model
}

func (c *Cache) ask(ctx context.Context, name string, ask func(context.Context) (llm.Model, error)) entry {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	model, err := ask(asking)
	if err != nil || ctx.Err() != nil {
		model = Known(name)
	}
	e := entry{model: model}
	if ctx.Err() != nil {
		return e
	}
	if failure, ok := errors.AsType[*llm.Error](err); err != nil && (!ok || failure.Retryable()) {
		e.until = time.Now().Add(pause)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = map[string]entry{}
	}
	c.entries[name] = e
	return e
}

func (c *Cache) entry(name string) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[name]
	return e, ok && (e.until.IsZero() || !time.Now().After(e.until))
}
