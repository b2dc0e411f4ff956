package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// follow keeps the tools up to date while a link lasts, and notes its end.
func (s *server) follow(l *link) {
	for {
		select {
		case <-l.gone:
			s.lost(l)
			return
		case <-l.changed:
			s.refresh(l)
		}
		// A server that cries all the time is heard now and then.
		timer := time.NewTimer(s.shared.pace.settle)
		select {
		case <-l.gone:
		case <-timer.C:
		}
		timer.Stop()
	}
}

func (s *server) refresh(l *link) {
	ctx, cancel := s.shared.bound(context.Background())
	defer cancel()
	limit := cmp.Or(s.Timeout, DefaultStart)
	ctx, stop := context.WithTimeoutCause(ctx, limit, errSlow)
	defer stop()
	listed, err := l.list(ctx)
	if err != nil {
		// The end of the link is told where it matters: to the next call.
		if l.usable() && !errors.Is(err, errClosed) {
			s.shared.notify(fmt.Sprintf("MCP server %q changed its tools: %v; those known before are kept", s.Name, err))
		}
		return
	}
	tools, left := s.accept(listed)
	s.adopt(tools, left)
}

// lost notes that a link has ended by itself.
func (s *server) lost(l *link) {
	if s.shared.stopped() {
		return
	}
	// What the program printed last is known when it is gone.
	<-l.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != l || s.state != StateConnected {
		return
	}
	s.state = StateLost
	s.failure = withStory(cmp.Or(l.cause, errors.New("the server closed the connection")), l.wire)
}
