package pipeline

import (
	"context"
	"sync"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// Dropper is a Handler that counts the inputs that it did not receive because it was too slow.
type Dropper interface {
	Dropped(point hookpoint.Name, inputs int)
}

// Feed passes a fast stream of inputs to the handlers of a point that only observes it. Add never waits. Each handler is called with
// what has come since its last call, in order and one call at a time. A handler that is too slow misses inputs.
type Feed struct {
	point  hookpoint.Point
	lanes  []*lane
	report Observer
	notice func(Notice)
}

// NewFeed returns a feed to the present handlers of a point, or nil if there are none. The row of the point must have Merge. report
// and notice are called from several goroutines.
func NewFeed(ctx context.Context, src Source, point hookpoint.Name, report Observer, notice func(Notice)) *Feed {
	f := &Feed{point: hookpoint.Of(point), report: report, notice: notice}
	for _, h := range handlers(src, f.point) {
		f.lanes = append(f.lanes, &lane{ctx: ctx, feed: f, handler: h})
	}
	if len(f.lanes) == 0 {
		return nil
	}
	return f
}

// Add passes an input to the handlers.
func (f *Feed) Add(in any) {
	for _, l := range f.lanes {
		l.add(in)
	}
}

// Drain returns when the handlers have handled everything, or when ctx is done. What waits then is dropped and counted, so that a
// handler never sees a part of the stream after the stream's end. Nothing may be added after Drain.
func (f *Feed) Drain(ctx context.Context) {
	for _, l := range f.lanes {
		l.drain(ctx)
	}
}

// lane is a feed's way to one handler.
type lane struct {
	ctx     context.Context //nolint:containedctx // it is that of the feed, which is one model call
	feed    *Feed
	handler Handler

	mu      sync.Mutex
	waiting any
	// count is the number of inputs in waiting.
	count int
	// idle is closed when the handler is not called any more; nil if it is not being called.
	idle chan struct{}
}

func (l *lane) add(in any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	complete := true
	if l.waiting == nil {
		l.waiting = in
	} else {
		l.waiting, complete = l.feed.point.Merge(l.waiting, in)
	}
	if complete {
		l.count++
	} else {
		l.dropped(1)
	}
	if l.idle == nil {
		l.idle = make(chan struct{})
		go l.run()
	}
}

func (l *lane) dropped(inputs int) {
	if d, ok := l.handler.(Dropper); ok && inputs > 0 {
		d.Dropped(l.feed.point.Name, inputs)
	}
}

// run calls the handler until nothing waits.
func (l *lane) run() {
	for {
		l.mu.Lock()
		in := l.waiting
		l.waiting, l.count = nil, 0
		if in == nil {
			close(l.idle)
			l.idle = nil
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		r := runner{point: l.feed.point, report: l.feed.report}
		if v, ok := r.verdict(l.ctx, l.handler.Name(), in, r.call(l.ctx, l.handler, in)); ok && v.Notice != "" {
			l.feed.notice(Notice{Handler: l.handler.Name(), Text: v.Notice})
		}
	}
}

func (l *lane) drain(ctx context.Context) {
	l.mu.Lock()
	idle := l.idle
	l.mu.Unlock()
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		l.dropped(l.count)
		l.waiting, l.count = nil, 0
	}
}
