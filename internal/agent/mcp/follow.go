package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// follow lists anew what the server offers when it reports a change, until the link ends. It then records the end of the link.
func (s *server) follow(l *link) {
	for {
		select {
		case <-l.gone:
			s.lost(l)
			return
		case <-l.changed:
			s.refresh(l)
		}
		// The pause limits how often a server can trigger a refresh.
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
		// The end of the link is reported to the next call, where it matters.
		if l.usable() && !errors.Is(err, errClosed) {
			s.shared.notify(fmt.Sprintf("MCP server %q changed what it offers: %v; what was known before is kept", s.Name, err))
		}
		return
	}
	s.adopt(listed)
}

// lost records that a link ended by itself.
func (s *server) lost(l *link) {
	if s.shared.stopped() {
		return
	}
	// The last output of the program is complete only after the program has ended.
	<-l.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != l || s.state != StateConnected {
		return
	}
	s.state = StateLost
	s.failure = withStory(cmp.Or(l.cause, errors.New("the server closed the connection")), l.wire)
}
