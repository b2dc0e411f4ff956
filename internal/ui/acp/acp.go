// Package acp is the front end for editors: version 1 of the Agent Client Protocol over two streams. One process serves one client
// and any number of sessions, each with its own plugins.
//
// One goroutine reads the client's messages in order and never waits for a session. Each session has a goroutine that works on
// the session's requests in order. Everything that happens in a session is written at once by whoever reports it.
package acp

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/app/frontend"
)

// Options is what the front end needs of the program.
type Options struct {
	// In and Out are the streams of the protocol. Nothing else may write to Out.
	In  io.Reader
	Out io.Writer
	// Version is the version of aura. Log receives what concerns no session.
	Version string
	Log     func(text string)
	// Ready returns an error unless a provider offers a model.
	Ready func(ctx context.Context) error
	// Open opens a session.
	Open func(ctx context.Context, r Request, front frontend.FrontEnd) (frontend.Session, error)
	// List returns the saved sessions of a directory, or of all directories if it is empty.
	List func(workdir string) ([]session.Summary, error)
}

// Request is what a client asks for when it opens a session.
type Request struct {
	// Workdir is an absolute path.
	Workdir string
	// Resume is the whole id of a saved session; empty for a new session.
	Resume string
	// Servers holds the MCP servers that the client passes.
	Servers []Server
	// Tell receives notices.
	Tell func(text string)
	// Choose asks the user to choose one of several keys; nil if the client cannot ask. It returns an empty key if the user did not
	// choose.
	Choose func(ctx context.Context, about string, choices []Choice) (key string, err error)
}

// Choice is an answer to a question.
type Choice struct{ Key, Text string }

// Server is an MCP server that a client passes: a program, or a URL.
type Server struct {
	Name, Command string
	Args          []string
	Env           map[string]string
	URL           string
	Headers       map[string]string
}

// Serve serves a client until it closes its side or ctx ends. When Serve returns, all sessions are closed.
func Serve(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &server{o: o, sessions: map[string]*live{}, requests: map[string]context.CancelCauseFunc{}}
	s.conn = newConn(o.In, o.Out, cancel)
	ended := make(chan error, 1)
	// The goroutine ends when the input does. If ctx ends first, the program does.
	go func() { ended <- s.read(ctx) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel(errGone)
	defer time.AfterFunc(leaveTime, s.conn.leave).Stop()
	err = errors.Join(err, s.end())
	s.conn.end()
	return err
}

// leaveTime is how long aura waits at its end for a client that does not read.
const leaveTime = time.Second

// server serves one client.
type server struct {
	o    Options
	conn *conn
	// client is what the client can do. It is set by initialize, before other requests are taken.
	client clientCapabilities
	begun  bool

	mu sync.Mutex
	// sessions holds the open sessions. opening counts the sessions that are being opened.
	sessions map[string]*live
	opening  int
	// ended is set when no session may be opened any more.
	ended bool
	// requests holds how to cancel the requests that are not answered, by their ids.
	requests map[string]context.CancelCauseFunc
	// busy counts the requests that have a goroutine.
	busy sync.WaitGroup
}

// read takes the client's messages until the input ends. It returns nil if the client closed the input.
func (s *server) read(ctx context.Context) error {
	for {
		m, err := s.conn.next()
		var refused *Error
		switch {
		case errors.As(err, &refused):
			s.conn.reply(m.ID, nil, refused)
		case errors.Is(err, io.ErrUnexpectedEOF):
			s.o.Log("the client ended within a message, which was dropped")
			return nil
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case m.Method == "" && len(m.ID) > 0:
			s.conn.answered(m)
		case m.Method == "":
			s.conn.reply(nil, nil, failure(codeInvalidRequest, "the message has neither a method nor an id"))
		case len(m.ID) == 0:
			s.notified(m)
		default:
			s.request(ctx, m)
		}
	}
}

// spawn runs what may take long in a goroutine. It reports false if the server ends.
func (s *server) spawn(f func()) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.busy.Go(f)
	return true
}

// end closes all sessions and waits for them.
func (s *server) end() error {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.busy.Wait()
	s.mu.Lock()
	open := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	failed := make([]error, len(open))
	var wg sync.WaitGroup
	for i, one := range open {
		wg.Go(func() { failed[i] = one.close(session.ReasonInterrupted, errGone) })
	}
	wg.Wait()
	return errors.Join(failed...)
}
