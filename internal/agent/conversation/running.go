package conversation

import (
	"context"
	"errors"
	"sync"
)

// errCallEnded is the error of a call that the user has ended.
var errCallEnded = errors.New("the user ended this call")

// runningCalls holds the tool calls that run, by their ids. The zero value is empty.
type runningCalls struct {
	mu   sync.Mutex
	ends map[string]context.CancelCauseFunc
}

// begin returns the context of a call, and a function that must be called when the call has ended.
func (r *runningCalls) begin(ctx context.Context, id string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ends == nil {
		r.ends = map[string]context.CancelCauseFunc{}
	}
	r.ends[id] = cancel
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.ends, id)
		cancel(nil)
	}
}

// end ends a call, if it runs.
func (r *runningCalls) end(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.ends[id]; cancel != nil {
		cancel(errCallEnded)
	}
}

// EndCall ends one tool call, if it runs. The model gets an error as the result, and its turn continues.
func (c *Conversation) EndCall(id string) { c.executor.endCall(id) }

func (x *executor) endCall(id string) { x.running.end(id) }
