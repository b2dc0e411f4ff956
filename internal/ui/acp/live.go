package acp

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/limit"
)

// live is an open session. Its goroutine works on its requests in order and closes the session at the end.
type live struct {
	id     string
	server *server
	front  *front
	shown  settings

	// using is held by those other than the session's goroutine who use the session, because no method may be called after Close.
	using   sync.RWMutex
	session frontend.Session
	over    bool

	mu     sync.Mutex
	closed bool
	// work has room for all requests that the server takes at a time, and for the list of models.
	work chan func()
	// stop cancels the prompt that runs or waits; nil if there is none. unlist ends what lasts as long as the session.
	stop   context.CancelCauseFunc
	unlist context.CancelCauseFunc
	reason session.Reason
	done   chan struct{}
	failed error
}

func newLive(s *server, id string, opened frontend.Session, f *front) *live {
	return &live{id: id, server: s, front: f, session: opened, work: make(chan func(), limit.ACPRequests+1), done: make(chan struct{})}
}

// run works until close.
func (l *live) run() {
	defer close(l.done)
	for work := range l.work {
		work()
	}
	l.using.Lock()
	defer l.using.Unlock()
	l.over = true
	l.failed = l.session.Close(l.reason)
	l.unlist(nil)
	l.front.end()
	l.server.forget(l.id)
}

// use calls f with the session, unless the session is closed.
func (l *live) use(f func(frontend.Session)) error {
	l.using.RLock()
	defer l.using.RUnlock()
	if l.over {
		return failure(codeNotFound, "session %q is closed", l.id)
	}
	f(l.session)
	return nil
}

// enqueue adds work. prompt is how to cancel it if it is a prompt: only one may run or wait.
func (l *live) enqueue(work func(), prompt context.CancelCauseFunc) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return failure(codeNotFound, "session %q is closed", l.id)
	case prompt != nil && l.stop != nil:
		return failure(codeInvalidRequest, "session %q works on a prompt: wait until it ends, or cancel it with session/cancel", l.id)
	case prompt != nil:
		l.stop = prompt
	}
	l.work <- work
	return nil
}

// cancel cancels the prompt that runs or waits.
func (l *live) cancel(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop != nil {
		l.stop(cause)
	}
}

// rested is called when a prompt ends.
func (l *live) rested() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stop = nil
}

// close cancels what runs, closes the session and waits until it is closed. The first reason counts.
func (l *live) close(reason session.Reason, cause error) error {
	l.shut(reason, cause)
	<-l.done
	return l.failed
}

// shut begins to close the session. It may be called by the session's goroutine.
func (l *live) shut(reason session.Reason, cause error) {
	l.mu.Lock()
	if !l.closed {
		l.closed, l.reason = true, reason
		close(l.work)
	}
	if l.stop != nil {
		l.stop(cause)
	}
	l.mu.Unlock()
}

// forget removes a session from the open ones.
func (s *server) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, id)
}

// health returns the health of the session's plugins.
func (l *live) health() (any, error) {
	list := []host.PluginHealth{}
	err := l.use(func(s frontend.Session) { list = append(list, s.Health()...) })
	return map[string]any{"plugins": list}, err
}

func (s *server) closeSession(_ context.Context, r request) {
	one, _, err := s.find(r)
	if err != nil {
		r.answer(nil, err)
		return
	}
	s.start(r, func() {
		err := one.close(session.ReasonDone, errClosed)
		if err != nil {
			err = fmt.Errorf("closing session %s: %w", one.id, err)
		}
		r.answer(struct{}{}, err)
	})
}

// cancelled reports whether an error is that of a prompt that was cancelled.
func cancelled(ctx context.Context, err error) bool {
	return ctx.Err() != nil && err != nil || errors.Is(err, errCancelled)
}
