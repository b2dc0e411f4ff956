package conversation

import (
	"context"
	"errors"
	"sync"

	"github.com/idelchi/aura/internal/agent/conversation/event"
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

// execute runs the permitted calls in parallel. The calls of a tool that limits them wait for each other only.
func (x *executor) execute(ctx context.Context, batch []*call) {
	queues := map[string][]func(){}
	limits := map[string]int{"": parallelLimit}
	for _, p := range batch {
		if p.err != nil {
			continue
		}
		own, end := x.running.begin(p.span.Into(ctx), p.request.ID)
		queue := ""
		if d := p.tool.Definition(); d.AtOnce > 0 {
			queue, limits[d.Name] = d.Name, d.AtOnce
		}
		queues[queue] = append(queues[queue], func() {
			defer end()
			started := x.now()
			p.ran = true
			if p.output, p.err = x.run(own, p); p.err != nil && errors.Is(context.Cause(own), errCallEnded) {
				p.err = errCallEnded
			}
			p.duration = x.now().Sub(started)
			if len(batch) > 1 {
				x.emit(event.Progress{Tool: p.request.Name, ID: p.request.ID, Ended: true, Duration: p.duration})
			}
		})
	}
	var wg sync.WaitGroup
	for name, queue := range queues {
		wg.Go(func() { inParallel(queue, limits[name]) })
	}
	wg.Wait()
	follow(batch)
}

// inParallel runs functions in order, at most a number of them at the same time.
func inParallel(functions []func(), most int) {
	var wg sync.WaitGroup
	slots := make(chan struct{}, most)
	for _, f := range functions {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			f()
		})
	}
	wg.Wait()
}
