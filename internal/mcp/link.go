package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	errClosed = errors.New("the session is ending")
	errSlow   = errors.New("no answer in time")
)

// wire is what carries the messages of one connection.
type wire interface {
	transport() sdk.Transport
	// stop ends the wire: in good order within the grace, or by force. The channel is closed once the session over it is.
	// When stop returns, nothing of the wire is left. It may be called more than once.
	stop(closed <-chan struct{}, grace time.Duration)
	// story says what else is known about a failure, or is empty.
	story() string
}

// link is one connection to a server.
type link struct {
	session *sdk.ClientSession
	wire    wire
	shared  *shared
	// changed gets a value when the server says that its tools have changed.
	changed chan struct{}
	// condemned links are not used again, even if they have not ended yet.
	condemned atomic.Bool
	// gone is closed when no more messages come; cause is valid from then on.
	gone  chan struct{}
	cause error
	// ended is closed when nothing of the link is left.
	ended chan struct{}
}

// connect opens a link. On an error nothing is left of it.
func connect(ctx context.Context, s Server, sh *shared) (*link, error) {
	var w wire
	if s.Command != "" {
		p, err := startProcess(s, sh.options)
		if err != nil {
			return nil, err
		}
		w = p
	} else {
		w = newWeb(s, sh.pace)
	}
	l := &link{wire: w, shared: sh, changed: make(chan struct{}, 1), gone: make(chan struct{}), ended: make(chan struct{})}
	client := sdk.NewClient(&sdk.Implementation{Name: "aura", Version: sh.options.Version}, &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { l.signal() },
	})
	session, err := guarded(ctx, l, func() (*sdk.ClientSession, error) { return client.Connect(ctx, w.transport(), nil) })
	if err != nil {
		// A program that ended by itself has a moment to do so, for the sake of its last words.
		grace := sh.grace()
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow) {
			grace = sh.pace.haste // it is not the server that took too long: whoever waited for it has gone
		}
		w.stop(closedNow(), grace)
		return nil, withStory(err, w)
	}
	l.session = session
	sh.workers.Go(l.watch)
	return l, nil
}

// signal never blocks: one refresh covers all changes before it.
func (l *link) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// watch cleans up once the connection has ended, whoever ended it.
func (l *link) watch() {
	l.cause = l.session.Wait()
	close(l.gone)
	l.wire.stop(closedNow(), l.shared.grace())
	close(l.ended)
}

// close ends the link and returns when nothing of it is left.
func (l *link) close() {
	l.condemned.Store(true)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// The connection may have ended by itself, in whatever way.
		_ = l.session.Close()
	}()
	l.wire.stop(closed, l.shared.grace())
	<-closed
	<-l.ended
}

func (l *link) usable() bool {
	select {
	case <-l.gone:
		return false
	default:
		return !l.condemned.Load()
	}
}

func (l *link) call(ctx context.Context, name string, args map[string]any) (*sdk.CallToolResult, error) {
	return guarded(ctx, l, func() (*sdk.CallToolResult, error) {
		return l.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	})
}

// guarded makes a request and survives its panic. One that does not end with its context, as it waits for a server that
// does not read, costs the server its connection.
func guarded[T any](ctx context.Context, l *link, request func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if r := recover(); r != nil {
				o.err = fmt.Errorf("reading the server's answer: %v", r)
			}
			done <- o
		}()
		o.value, o.err = request()
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(l.shared.pace.stuck)
		defer timer.Stop()
		select {
		case o = <-done:
		case <-timer.C:
			l.condemned.Store(true)
			l.wire.stop(closedNow(), 0)
			o = <-done
		}
	}
	if o.err != nil && ctx.Err() != nil {
		o.err = context.Cause(ctx)
	}
	return o.value, o.err
}

// undelivered reports whether a request failed before it reached the server, so that repeating it does no harm.
func undelivered(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// moment is how long it may take until the end of a connection is known after a request has failed of it.
const moment = 100 * time.Millisecond

// severed reports whether a request failed as the connection broke while it was under way.
func (l *link) severed(err error) bool {
	var (
		answer *jsonrpc.Error
		syntax *json.SyntaxError
	)
	switch {
	case errors.As(err, &answer):
		return false
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax):
		return true
	}
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case <-l.gone:
		return true
	case <-timer.C:
		return l.condemned.Load()
	}
}

// withStory adds what a wire knows about a failure.
func withStory(err error, w wire) error {
	if story := w.story(); story != "" {
		return fmt.Errorf("%w (%s)", err, story)
	}
	return err
}

func closedNow() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}
