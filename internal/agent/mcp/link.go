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

	"github.com/idelchi/aura/internal/base/telemetry"
)

var (
	errClosed = errors.New("the session is ending")
	errSlow   = errors.New("no answer in time")
)

// wire carries the messages of one connection.
type wire interface {
	// transport returns the transport. The messages of the server pass the gate.
	transport(g *gate) sdk.Transport
	// stop ends the wire: gracefully within grace, or else by force. closed must be closed once the session over the wire is
	// closed. When stop returns, no resources of the wire are left. stop may be called more than once.
	stop(closed <-chan struct{}, grace time.Duration)
	// story returns additional details about a failure, or "".
	story() string
}

// link is one connection to a server.
type link struct {
	// name is that of the server.
	name    string
	session *sdk.ClientSession
	wire    wire
	shared  *shared
	// changed receives a value when the server reports that its tools have changed.
	changed chan struct{}
	// calls counts the calls that run.
	calls atomic.Int32
	// condemned is set if the link must not be used again, even if it has not ended yet.
	condemned atomic.Bool
	gate      *gate
	hearing   *hearing
	asks      asks
	// tried is closed when connect returns. session is valid after that, and nil if there is no connection.
	tried chan struct{}
	// gone is closed when no more messages arrive. cause is valid after that.
	gone  chan struct{}
	cause error
	// ended is closed when no resources of the link are left.
	ended chan struct{}
}

// connect opens a link. If it fails, no resources of the link are left.
func connect(ctx context.Context, s Server, sh *shared) (*link, error) {
	var w wire
	if s.Command != "" {
		p, err := startProcess(ctx, s, sh.options)
		if err != nil {
			return nil, err
		}
		w = p
	} else {
		w = newWeb(s, sh.pace)
	}
	l := &link{name: s.Name, wire: w, shared: sh, changed: make(chan struct{}, 1), tried: make(chan struct{}), gone: make(chan struct{}), ended: make(chan struct{})}
	defer close(l.tried)
	l.hearing = newHearing()
	l.gate = &gate{flooded: func(why error) { l.disconnect(s.Name, why) }, heard: l.hearing.heard}
	client := sdk.NewClient(&sdk.Implementation{Name: "aura", Version: sh.options.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		}},
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return l.elicit(ctx, s.Name, r.Params)
		},
		ToolListChangedHandler:     func(context.Context, *sdk.ToolListChangedRequest) { l.signal() },
		PromptListChangedHandler:   func(context.Context, *sdk.PromptListChangedRequest) { l.signal() },
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) { l.signal() },
	})
	session, err := guarded(ctx, l, func() (*sdk.ClientSession, error) { return client.Connect(ctx, w.transport(l.gate), nil) })
	if why := l.gate.failure(); err != nil && why != nil {
		err = why
	}
	if err != nil {
		// A program that is ending by itself gets some time to do so, so that its last output is complete.
		grace := sh.grace()
		if ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSlow) {
			grace = sh.pace.haste // the caller gave up; the server was not too slow
		}
		w.stop(closedNow(), grace)
		return nil, withStory(err, w)
	}
	l.session = session
	sh.workers.Go(l.watch)
	sh.workers.Go(func() { l.log(s.Name, sh.options.Log) })
	return l, nil
}

// signal never blocks: one refresh covers all earlier changes.
func (l *link) signal() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// disconnect ends a link whose server sent too much. It does not wait.
func (l *link) disconnect(name string, why error) {
	l.condemned.Store(true)
	l.shared.workers.Go(func() {
		l.shared.notify(fmt.Sprintf("MCP server %q was disconnected: %v", name, why))
		l.wire.stop(closedNow(), 0)
		if <-l.tried; l.session != nil {
			l.close()
		}
	})
}

// watch cleans up after the connection has ended, whichever side ended it.
func (l *link) watch() {
	l.cause = l.session.Wait()
	close(l.gone)
	l.wire.stop(closedNow(), l.shared.grace())
	close(l.ended)
}

// close ends the link. When close returns, no resources of the link are left.
func (l *link) close() {
	l.condemned.Store(true)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		// The connection may have ended by itself, so the error does not matter.
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

// call calls a tool, once more if the user has opened what the server wants opened first. status, if not nil, receives how far the call is, and nothing after call has returned.
func (l *link) call(ctx context.Context, name string, args map[string]any, status func(text string)) (*sdk.CallToolResult, error) {
	l.calls.Add(1)
	defer func() {
		if l.calls.Add(-1) == 0 {
			l.asks.idle()
		}
	}()
	params := &sdk.CallToolParams{Meta: l.requestMeta(ctx), Name: name, Arguments: args}
	if status != nil {
		token, stop := l.hearing.follow(status, l.shared.pace.settle)
		defer stop()
		params.SetProgressToken(token)
	}
	call := func() (*sdk.CallToolResult, error) { return l.session.CallTool(ctx, params) }
	result, err := guarded(ctx, l, call)
	if err == nil {
		return result, nil
	}
	again, err := l.openRequired(ctx, err)
	if !again {
		return nil, err
	}
	return guarded(ctx, l, call)
}

// requestMeta returns what a request carries beside its parameters. From the revision on in which a request says which log messages it
// leads to, it asks for them if somebody reads them.
func (l *link) requestMeta(ctx context.Context) sdk.Meta {
	out := traced(ctx)
	if r := l.session.InitializeResult(); l.shared.options.Log != nil && r != nil && r.ProtocolVersion >= statelessVersion {
		if out == nil {
			out = sdk.Meta{}
		}
		out[sdk.MetaKeyLogLevel] = logLevel //nolint:staticcheck // servers have a log, although the protocol deprecates it
	}
	return out
}

const (
	// statelessVersion is the first revision in which each request says which log messages it leads to.
	statelessVersion = "2026-07-28"
	// logLevel is the lowest level of the log messages that aura asks for.
	logLevel = "info"
)

// capabilities returns what the server declares that it has.
func (l *link) capabilities() sdk.ServerCapabilities {
	if r := l.session.InitializeResult(); r != nil && r.Capabilities != nil {
		return *r.Capabilities
	}
	return sdk.ServerCapabilities{}
}

// askForLog asks a server of an earlier revision for its log, if somebody reads it. A server that refuses only has no log.
func (l *link) askForLog(ctx context.Context) {
	r := l.session.InitializeResult()
	has := l.capabilities().Logging != nil //nolint:staticcheck // servers of earlier revisions have it
	if l.shared.options.Log == nil || !has || r.ProtocolVersion >= statelessVersion {
		return
	}
	_, _ = guarded(ctx, l, func() (any, error) {
		return nil, l.session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: logLevel}) //nolint:staticcheck // servers of earlier revisions have it
	})
}

// traced returns the position in the trace as the fields that the protocol reserves for it; nil if nothing is traced.
func traced(ctx context.Context) sdk.Meta {
	var out sdk.Meta
	for name, value := range telemetry.Meta(ctx) {
		if out == nil {
			out = sdk.Meta{}
		}
		out[name] = value
	}
	return out
}

// guarded makes a request and recovers from its panic. If the request does not return after its context is done, because the
// server does not read, guarded closes the connection.
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
	switch {
	case o.err == nil:
	case l.shared.stopped(): // ctx ends a moment later
		o.err = errClosed
	case ctx.Err() != nil:
		o.err = context.Cause(ctx)
	}
	return o.value, o.err
}

// undelivered reports whether a request failed before it reached the server. Such a request can be repeated safely.
func undelivered(err error) bool {
	return errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed)
}

// moment is how long after a failed request the end of its connection may still be detected.
const moment = 100 * time.Millisecond

// severed reports whether a request failed because the connection broke during the request.
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

// withStory adds the wire's details about a failure to err.
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
