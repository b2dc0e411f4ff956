package shared

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/idelchi/aura/internal/base/stack"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/shared/exact"
	"github.com/idelchi/aura/shared/wire"
)

// Served is what a child serves: a plugin that also reports which growing lists of a context its source mentions.
type Served interface {
	Plugin
	// Touches reports whether the plugin could change the named list inside its context, or the arguments ("Args") within one.
	// It is called after Load.
	Touches(field string) bool
}

// Server is the child's side of a connection.
type Server struct {
	impl    Served
	in      receiver
	running running
	// requests are what the plugin asks of aura.
	requests *Requester
}

// NewServer returns the server of a plugin. requests are what the plugin asks of aura.
func NewServer(impl Served, requests *Requester) *Server {
	return &Server{impl: impl, requests: requests}
}

// Invoke makes one call. An error is about the connection or the child; it is a *StatusError.
func (s *Server) Invoke(ctx context.Context, call *wire.Call) (*wire.Reply, error) {
	stack.Grow()
	switch call.Verb {
	case verbQuiesce:
		return s.quiesce(ctx)
	case verbStats:
		return s.reply(call, Stats{Goroutines: runtime.NumGoroutine()})
	}
	if deadline, ok := ctx.Deadline(); ok && call.Verb != verbLoad {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-Grace))
		defer cancel()
	}
	defer s.running.enter()()
	defer seen(len(call.Body))
	out, err := s.dispatch(ctx, call)
	if err == nil {
		return s.reply(call, out)
	}
	if bad, ok := errors.AsType[*unsendableError](err); ok {
		return &wire.Reply{Failure: unsent("reading the call", bad)}, nil
	}
	var failure *Failure
	if !errors.As(err, &failure) {
		return nil, statusOf(err)
	}
	if len(failure.Message) > MaxMessage {
		return refusal(call, len(failure.Message)), nil
	}
	reply := &wire.Reply{}
	if call.Verb == verbHook && out != nil {
		if reply, err = s.reply(call, out); err != nil || reply.Failure != nil {
			return reply, err
		}
	}
	reply.Failure = &wire.Failure{Kind: string(failure.Kind), Message: []byte(failure.Message)}
	return reply, nil
}

func (s *Server) dispatch(ctx context.Context, call *wire.Call) (any, error) {
	switch call.Verb {
	case verbLoad:
		return s.impl.Load(ctx)
	case verbHook:
		return s.hook(ctx, call)
	case verbExecute:
		var f toolFrame
		if err := decode(call.Body, &f); err != nil {
			return nil, err
		}
		c, err := s.in.unpack(f.Context, s.impl.Touches)
		if err != nil {
			return nil, err
		}
		return s.impl.Execute(ctx, ToolCall{Tool: f.Tool, Context: c, Args: f.Args, Env: f.Env})
	case verbPaths:
		var asked PathsCall
		if err := decode(call.Body, &asked); err != nil {
			return nil, err
		}
		return s.impl.Paths(ctx, asked)
	case verbEvent:
		var e EventCall
		if err := decode(call.Body, &e); err != nil {
			return nil, err
		}
		return true, s.impl.Event(ctx, e)
	case verbCommand:
		var f commandFrame
		if err := decode(call.Body, &f); err != nil {
			return nil, err
		}
		c, err := s.in.unpack(f.Context, s.impl.Touches)
		if err != nil {
			return nil, err
		}
		return s.impl.Command(ctx, CommandCall{Name: f.Name, Context: c, Args: f.Args, Env: f.Env})
	default:
		return nil, fmt.Errorf("serving a call: unknown verb %q", call.Verb)
	}
}

func (s *Server) hook(ctx context.Context, call *wire.Call) (any, error) {
	var f hookFrame
	if err := decode(call.Body, &f); err != nil {
		return nil, err
	}
	in, err := s.in.unpackHook(hookpoint.Name(call.Point), f, s.impl.Touches)
	if err != nil {
		return nil, err
	}
	return s.impl.Hook(ctx, in)
}

func (s *Server) quiesce(ctx context.Context) (*wire.Reply, error) {
	select {
	case <-s.running.idle():
		return s.reply(&wire.Call{Verb: verbQuiesce}, true)
	case <-ctx.Done():
		return nil, statusOf(ctx.Err())
	}
}

// running counts the running calls and lets a caller wait until there are none.
type running struct {
	mu    sync.Mutex
	calls int
	waits []chan struct{}
}

func (r *running) enter() (leave func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.calls--
		if r.calls > 0 {
			return
		}
		for _, w := range r.waits {
			close(w)
		}
		r.waits = nil
	}
}

func (r *running) idle() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := make(chan struct{})
	if r.calls == 0 {
		close(w)
	} else {
		r.waits = append(r.waits, w)
	}
	return w
}

// reply encodes an answer. An answer over the limit fails only this call.
func (s *Server) reply(call *wire.Call, out any) (*wire.Reply, error) {
	if text, ok := out.(string); ok && len(text) > MaxMessage {
		// Encoding the text may need more memory than the plugin has.
		return refusal(call, len(text)), nil
	}
	err := cyclic(out)
	var body []byte
	if err == nil {
		body, err = encode(out)
	}
	if err != nil {
		return &wire.Reply{Failure: unsent("sending the answer to aura", err)}, nil
	}
	if len(body) > MaxMessage {
		return refusal(call, len(body)), nil
	}
	seen(len(body))
	return &wire.Reply{Body: body}, nil
}

// cyclic returns an error for a value that contains itself, because the codec would follow it until the process dies.
func cyclic(v any) error {
	if err := exact.CheckNesting(v); err != nil {
		return &unsendableError{err.Error()}
	}
	return nil
}

// unsent returns the failure of a call whose values cannot be sent over the wire.
func unsent(doing string, err error) *wire.Failure {
	return &wire.Failure{Kind: string(FailureWire), Message: []byte(doing + ": " + err.Error())}
}

func refusal(call *wire.Call, size int) *wire.Reply {
	text := fmt.Sprintf("answering %s: %d bytes are more than the limit of %d MiB for one answer", call.Verb, size, MaxMessage>>20)
	return &wire.Reply{Failure: &wire.Failure{Kind: string(FailureSize), Message: []byte(text)}}
}

// Code is a status code of gRPC.
type Code uint32

// The codes that a child sends.
const (
	CodeCanceled          Code = 1
	CodeDeadlineExceeded  Code = 4
	CodeAlreadyExists     Code = 6
	CodeResourceExhausted Code = 8
	CodeUnimplemented     Code = 12
	CodeInternal          Code = 13
)

// StatusError is an error that gRPC reports with a code.
type StatusError struct {
	Code    Code
	Message string
}

func (e *StatusError) Error() string { return e.Message }

// statusOf returns the status of an error that is not the plugin's.
func statusOf(err error) *StatusError {
	out := &StatusError{Code: CodeInternal, Message: err.Error()}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		out.Code = CodeDeadlineExceeded
	case errors.Is(err, context.Canceled):
		out.Code = CodeCanceled
	}
	return out
}
