package shim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/runtime/native/link"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared/exact"
	"github.com/idelchi/aura/shared/frame"
)

// The kinds of failures.
const (
	kindError       = "error"
	kindPanic       = "panic"
	kindGoexit      = "goexit"
	kindLoad        = "load"
	kindSize        = "size"
	kindWire        = "wire"
	kindUnsupported = "unsupported"
)

// server serves the calls of the host.
type server struct {
	plugin Plugin
	bound  *bound

	mu      sync.Mutex
	cancels map[uint64]context.CancelFunc
}

func newServer(p Plugin) *server {
	return &server{plugin: p, cancels: make(map[uint64]context.CancelFunc)}
}

// handle handles one frame. Each call runs in a goroutine of its own.
func (s *server) handle(call link.Call) {
	if call.Call == "cancel" {
		s.mu.Lock()
		cancel := s.cancels[call.Of]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	}
	ctx, cancel := contextOf(call)
	s.mu.Lock()
	s.cancels[call.ID] = func() {
		// aura also cancels a call at its deadline. The context then ends by itself and reports the deadline.
		if deadline, ok := ctx.Deadline(); !ok || time.Now().Before(deadline) {
			cancel()
		}
	}
	s.mu.Unlock()
	go func() {
		result, failure := s.call(ctx, call)
		s.mu.Lock()
		delete(s.cancels, call.ID)
		s.mu.Unlock()
		cancel()
		answer(call, result, failure)
	}()
}

// contextOf returns the context of a call, which ends at the deadline of the call.
func contextOf(call link.Call) (context.Context, context.CancelFunc) {
	if deadline, err := time.Parse(time.RFC3339Nano, call.Deadline); err == nil {
		return context.WithDeadline(context.Background(), deadline)
	}
	return context.WithCancel(context.Background())
}

// reply is the answer to a call.
type reply struct {
	ID      uint64        `json:"id"`
	Result  any           `json:"result"`
	Failure *link.Failure `json:"failure,omitempty"`
}

// answer sends the answer to a call. If the host is gone, nobody needs it.
func answer(call link.Call, result any, failure *link.Failure) {
	if failure == nil {
		failure = sendResult(call, result)
	}
	if failure != nil {
		_ = link.Send(reply{ID: call.ID, Failure: failure})
	}
}

// sendResult sends the result of a call. It returns why the result cannot be sent.
func sendResult(call link.Call, result any) *link.Failure {
	if call.Call == "load" {
		_ = link.Send(reply{ID: call.ID, Result: result})
		return nil
	}
	text, err := exact.Encode(result)
	if kind := (*exact.KindError)(nil); errors.As(err, &kind) {
		// Interpreted plugins report the type alone.
		err = kind
	}
	if err != nil {
		return &link.Failure{Kind: kindWire, Message: "sending the answer to aura: " + err.Error()}
	}
	if err := link.SendResult(call.ID, text); errors.Is(err, frame.ErrTooLarge) {
		return &link.Failure{Kind: kindSize, Message: fmt.Sprintf("answering %s: more than the limit of %d MiB for one answer", call.Call, frame.Max>>20)}
	}
	return nil
}

// call runs one call.
func (s *server) call(ctx context.Context, call link.Call) (any, *link.Failure) {
	if call.Call == "load" {
		return s.load(call.Load)
	}
	if s.bound == nil {
		return nil, &link.Failure{Kind: kindLoad, Message: "the plugin is not loaded"}
	}
	switch call.Call {
	case "hook":
		fn := s.bound.hooks[call.Point]
		in := reflect.New(contextType(fn))
		return s.run(call, call.Point, fn, []any{in.Interface()}, func() []reflect.Value { return []reflect.Value{reflect.ValueOf(ctx), in.Elem()} })
	case "execute":
		var in sdk.Context
		var args map[string]any
		return s.run(call, "Execute", s.bound.execute[call.Tool], []any{&in, &args}, func() []reflect.Value {
			return []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(in), reflect.ValueOf(args)}
		})
	case "paths":
		var args map[string]any
		return s.run(call, "Paths", s.bound.paths[call.Tool], []any{nil, &args}, func() []reflect.Value { return []reflect.Value{reflect.ValueOf(args)} })
	case "command":
		var in sdk.Context
		var args string
		return s.run(call, "ExecuteCommand", s.bound.commands[call.Command], []any{&in, &args}, func() []reflect.Value {
			return []reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(args), reflect.ValueOf(in)}
		})
	case "event":
		return nil, s.event(ctx, call)
	default:
		return nil, &link.Failure{Kind: kindUnsupported, Message: "a compiled plugin does not know the call " + call.Call}
	}
}

// contextType returns the type of a hook's context. An absent hook has any type.
func contextType(fn reflect.Value) reflect.Type {
	if !fn.IsValid() {
		return reflect.TypeFor[sdk.Context]()
	}
	return fn.Type().In(1)
}

// run decodes the context and the arguments of a call into the given places, sets the variables of the call and calls the function.
func (s *server) run(call link.Call, name string, fn reflect.Value, into []any, args func() []reflect.Value) (any, *link.Failure) {
	if !fn.IsValid() {
		if of := call.Tool + call.Command; of != "" {
			name += " of " + of
		}
		return nil, &link.Failure{Kind: kindUnsupported, Message: "the plugin does not export " + name}
	}
	for i, raw := range [][]byte{call.Context, call.Args} {
		if i < len(into) && into[i] != nil && len(raw) > 0 {
			if err := exact.Decode(raw, into[i]); err != nil {
				return nil, &link.Failure{Kind: kindWire, Message: "reading the call: " + err.Error()}
			}
		}
	}
	if err := setEnv(call.Env); err != nil {
		return nil, &link.Failure{Kind: kindError, Message: err.Error()}
	}
	var out any
	failure := s.guarded(name, func() error {
		results := fn.Call(args())
		out = results[0].Interface()
		err, _ := reflect.TypeAssert[error](results[1])
		return err
	})
	return out, failure
}

// event calls the handlers of an event one after the other.
func (s *server) event(ctx context.Context, call link.Call) *link.Failure {
	var payload any
	if len(call.Payload) > 0 {
		if err := exact.Decode(call.Payload, &payload); err != nil {
			return &link.Failure{Kind: kindWire, Message: "reading an event: " + err.Error()}
		}
	}
	if link.Handlers == nil {
		return nil
	}
	var failures []error
	for _, handler := range link.Handlers(call.Event) {
		if failure := s.guarded("event "+call.Event, func() error { return handler(ctx, call.Event, call.Sender, payload) }); failure != nil {
			failures = append(failures, errors.New(failure.Message))
		}
	}
	if err := errors.Join(failures...); err != nil {
		return &link.Failure{Kind: kindError, Message: err.Error()}
	}
	return nil
}

// guarded runs the plugin's code. A panic or the end of the goroutine fails only this run.
func (s *server) guarded(doing string, fn func() error) *link.Failure {
	done := make(chan *link.Failure, 1)
	go func() {
		failure := &link.Failure{Kind: kindGoexit, Message: "the plugin ended the call's goroutine with runtime.Goexit"}
		defer func() {
			if v := recover(); v != nil {
				failure = &link.Failure{Kind: kindPanic, Message: explain(doing, v)}
			}
			done <- failure
		}()
		failure = s.failureOf(fn())
	}()
	return <-done
}

// failureOf must run in the goroutine of the call, because an Error method may panic too.
func (s *server) failureOf(err error) *link.Failure {
	if err == nil {
		return nil
	}
	text := err.Error()
	if s.plugin.NotFound != nil && errors.Is(err, s.plugin.NotFound) && os.Getenv("PATH") == "" { // the environment belongs to the plugin
		text += " (the variable PATH is not set in the plugin's environment: start aura with it, or use the program's full path)"
	}
	return &link.Failure{Kind: kindError, Message: text}
}

var envMu sync.Mutex

// setEnv sets the variables of a call in the environment of the process, which belongs to the plugin alone. The variables stay set.
func setEnv(raw []byte) error {
	if len(raw) == 0 {
		return nil
	}
	var env map[string]string
	if err := exact.Decode(raw, &env); err != nil {
		return fmt.Errorf("reading the task's variables: %w", err)
	}
	envMu.Lock()
	defer envMu.Unlock()
	for name, value := range env {
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("setting the task's variable %q: %w", name, err)
		}
	}
	return nil
}

// load binds the plugin's functions and runs its Init.
func (s *server) load(l *link.Load) (any, *link.Failure) {
	if l == nil || l.Protocol != protocol {
		return nil, &link.Failure{Kind: kindLoad, Message: fmt.Sprintf("a compiled plugin speaks version %d of the protocol", protocol)}
	}
	os.Args = []string{l.Name}
	if l.MemoryBytes > 0 {
		debug.SetMemoryLimit(l.MemoryBytes / 8 * 7)
	}
	b := newBinder(s)
	if err := b.bind(sdk.ToolConfig{HomeDir: l.HomeDir, ConfigDir: l.ConfigDir, DataDir: l.DataDir}); err != nil {
		return nil, &link.Failure{Kind: kindLoad, Message: err.Error()}
	}
	if link.Events != nil {
		b.out.Listens = link.Events()
	}
	s.bound = &b.bound
	runtime.GC() // what only loading needed
	return b.out, nil
}
