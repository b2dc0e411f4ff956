package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
)

// server is a Server with its current state.
type server struct {
	Server

	shared *shared
	// dialing holds a value while a goroutine connects.
	dialing chan struct{}

	mu      sync.Mutex
	state   State
	link    *link
	tools   []*remote
	stock   stock
	failure error
	// told is the last notice about omitted tools.
	told       string
	reconnects int
	// attempts counts the attempts to connect since the last successful call. last is when the latest attempt ended.
	attempts int
	last     time.Time
}

func newServer(s Server, sh *shared) *server {
	return &server{Server: s, shared: sh, dialing: make(chan struct{}, 1), state: s.beginning()}
}

// begin connects for the first time. It reports a failure as a notice.
func (s *server) begin(ctx context.Context) {
	if _, _, err := s.connected(ctx); err != nil {
		s.shared.notify(fmt.Sprintf("%v; its tools are missing", err))
	}
}

// connected returns a usable link, and whether the link is new.
func (s *server) connected(ctx context.Context) (l *link, fresh bool, err error) {
	ctx, cancel := s.shared.bound(ctx)
	defer cancel()
	select {
	case s.dialing <- struct{}{}:
	case <-ctx.Done():
		return nil, false, s.explain(context.Cause(ctx))
	}
	defer func() { <-s.dialing }()
	if s.shared.stopped() {
		return nil, false, s.explain(errClosed)
	}
	s.mu.Lock()
	old, attempts := s.link, s.attempts
	s.mu.Unlock()
	if old != nil && old.usable() {
		// A call that runs is not interrupted.
		why := s.launch().Outdated()
		if why == "" || old.calls.Load() > 0 {
			return old, false, nil
		}
		s.shared.notify(fmt.Sprintf("MCP server %q is started again, because %s", s.Name, why))
		old.close()
	}
	if err := s.retreat(ctx, old, attempts); err != nil {
		return nil, false, s.explain(err)
	}
	l, err = s.dial(ctx)
	return l, err == nil, err
}

// retreat waits until the old link has ended and enough time has passed since the last attempt.
func (s *server) retreat(ctx context.Context, old *link, attempts int) error {
	if old == nil && attempts == 0 {
		return nil
	}
	s.mu.Lock()
	var pause time.Duration
	// The first attempt after a successful call is made at once.
	if attempts > 1 || old == nil {
		pause = max(0, s.shared.pace.backoff(max(1, attempts-1))-time.Since(s.last))
	}
	s.mu.Unlock()
	when := "now"
	if pause > 0 {
		when = "in " + pause.Round(time.Millisecond).String()
	}
	s.shared.notify(fmt.Sprintf("MCP server %q is not connected: connecting again %s", s.Name, when))
	if err := wait(ctx, pause); err != nil {
		return err
	}
	if old == nil {
		return nil
	}
	select {
	case <-old.ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dial creates a new link and adopts its tools. The caller must hold s.dialing.
func (s *server) dial(ctx context.Context) (*link, error) {
	limit := cmp.Or(s.Timeout, DefaultStart)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%s)", errSlow, limit))
	defer cancel()
	l, err := connect(ctx, s.Server, s.shared)
	if err != nil {
		return nil, s.failed(err)
	}
	listed, err := l.list(ctx)
	if err != nil {
		l.close()
		return nil, s.failed(withStory(err, l.wire))
	}
	s.mu.Lock()
	if s.link != nil {
		s.reconnects++
	}
	s.link, s.state, s.failure = l, StateConnected, nil
	s.attempts++
	s.last = time.Now()
	s.mu.Unlock()
	s.shared.workers.Go(func() { s.follow(l) })
	l.askForLog(ctx)
	s.adopt(listed)
	return l, nil
}

// failed records a failure to connect and returns the explained error.
func (s *server) failed(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A cancellation by the caller does not change the state of a server that was connected before.
	impatient := errors.Is(err, context.Canceled) || errors.Is(err, errClosed)
	if !impatient {
		s.attempts++
		s.last = time.Now()
	}
	if !impatient || s.link == nil {
		s.state, s.failure = StateFailed, s.advise(err)
		if need := s.needsLogin(err); need != nil {
			s.state, s.failure = StateNeedsLogin, errors.New(s.loginHint(need))
		}
	}
	return s.explain(err)
}

// explain adds the server's name and advice to an error of connecting.
func (s *server) explain(err error) error {
	if s.kind() == TypeHTTP {
		if need := s.needsLogin(err); need != nil {
			return fmt.Errorf("connecting to MCP server %q: %w: aura mcp login %s", s.Name, need, s.Name)
		}
	}
	return fmt.Errorf("connecting to MCP server %q: %w", s.Name, s.advise(err))
}

// advise adds advice to an error of connecting. Lists of servers show it beside the name.
func (s *server) advise(err error) error {
	advice := "check its command, args and env"
	if s.kind() == TypeHTTP {
		if refusesCredentials(err) {
			return fmt.Errorf("%w; %s", err, s.credentials())
		}
		advice = "check its url and headers, and that the service is up"
	} else if s.Launch != nil && s.Launch.Hint != "" {
		advice = s.Launch.Hint + "; " + advice
	}
	return fmt.Errorf("%w; %s", err, s.remedy(advice))
}

// refusesCredentials reports whether a service refused a request because of who asked. The client only passes on the text of the status.
func refusesCredentials(err error) bool {
	return strings.Contains(err.Error(), http.StatusText(http.StatusUnauthorized)) || strings.Contains(err.Error(), http.StatusText(http.StatusForbidden))
}

// credentials returns what the user can do about a service that refuses its credentials.
func (s *server) credentials() string {
	switch {
	case len(s.Headers) == 0:
		return `the service wants credentials: add ` + s.remedy(`headers: {Authorization: "Bearer ${NAME}"}`) + ", and set the variable NAME"
	case len(s.Variables) == 0:
		return "the service refuses the credentials: " + s.remedy("check its url and headers")
	default:
		return "the service refuses the credentials: " + s.remedy("check its url and headers") + ", and the value of " + strings.Join(s.Variables, " and ")
	}
}

func (s *server) remedy(advice string) string {
	if s.Source == "" {
		return advice
	}
	return advice + " in " + s.Source
}

// adopt replaces what the server offers. It reports a change, and reports each notice about what is left out once.
func (s *server) adopt(listed catalog) {
	tools, left := s.accept(listed.tools)
	offered, more := s.sort(listed)
	left = append(append(left, more...), listed.faults...)
	notice := ""
	if n := len(left); n > 0 {
		const named = 5
		notice = fmt.Sprintf("MCP server %q: left out: %s", s.Name, strings.Join(left[:min(n, named)], ", "))
		if n > named {
			notice += fmt.Sprintf(", and %d more", n-named)
		}
	}
	s.mu.Lock()
	changed := !reflect.DeepEqual(definitions(s.tools), definitions(tools)) || !reflect.DeepEqual(s.stock, offered)
	s.tools, s.stock = tools, offered
	news := notice != s.told
	s.told = notice
	s.mu.Unlock()
	if news && notice != "" {
		s.shared.notify(notice)
	}
	if changed {
		s.shared.changed()
	}
}

func definitions(tools []*remote) []tool.Definition {
	var out []tool.Definition
	for _, t := range tools {
		out = append(out, t.definition)
	}
	return out
}

func (s *server) offered() []tool.Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]tool.Tool, 0, len(s.tools))
	for _, t := range s.tools {
		out = append(out, t)
	}
	return out
}

// close ends the link for good. It waits for a connection attempt in progress, which is cancelled because the Set is closed.
func (s *server) close() {
	s.dialing <- struct{}{}
	defer func() { <-s.dialing }()
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil {
		l.close()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l != nil || s.state == StateStarting {
		s.state = StateClosed
	}
}
