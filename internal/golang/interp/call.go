package interp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"

	"github.com/idelchi/aura/internal/base/stack"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// runner runs a plugin's code so that a panic or the end of the goroutine fails only that run.
type runner struct {
	trace *trace
	// idle holds goroutines that wait for work. Interpreted code needs a deep stack. A goroutine that already has one avoids
	// the copying by which a new stack grows.
	idle chan chan job
}

// keptWorkers is the largest number of goroutines that wait for work. Further concurrent calls get their own goroutines.
const keptWorkers = 2

func newRunner(t *trace) runner {
	return runner{trace: t, idle: make(chan chan job, keptWorkers)}
}

// job is one run. done receives exactly one value, nil for success.
type job struct {
	doing string
	fn    func() error
	done  chan<- *shared.Failure
}

// run calls fn in another goroutine and waits for it without a timeout: interpreted code cannot be stopped, only its process
// can be killed. doing is for the log.
func (r runner) run(doing string, fn func() error) *shared.Failure {
	done := make(chan *shared.Failure, 1)
	j := job{doing: doing, fn: fn, done: done}
	select {
	case worker := <-r.idle:
		worker <- j
	default:
		go r.work(j)
	}
	return <-done
}

// work runs one job after another. A job that ends its goroutine also ends this worker.
func (r runner) work(j job) {
	stack.Grow()
	in := make(chan job)
	for {
		r.do(j)
		select {
		case r.idle <- in:
			j = <-in
		default:
			return
		}
	}
}

func (r runner) do(j job) {
	failure := &shared.Failure{Kind: shared.FailureGoexit, Message: "the plugin ended the call's goroutine with runtime.Goexit"}
	defer func() {
		if v := recover(); v != nil {
			failure = &shared.Failure{Kind: shared.FailurePanic, Message: r.trace.explain(j.doing, v)}
		}
		r.trace.forget()
		j.done <- failure
	}()
	failure = failureOf(j.fn())
}

// failureOf must run in the goroutine of the call, because an interpreted Error method may panic too.
func failureOf(err error) *shared.Failure {
	if err == nil {
		return nil
	}
	return &shared.Failure{Kind: shared.FailureError, Message: err.Error() + missingPath(err)}
}

// missingPath returns an explanation if a program was not found because the plugin has no PATH, and "" otherwise.
func missingPath(err error) string {
	//nolint:forbidigo // the environment of the child is the plugin's, not configuration of aura
	if !errors.Is(err, exec.ErrNotFound) || os.Getenv("PATH") != "" {
		return ""
	}
	return " (the variable PATH is not set in the plugin's environment: start aura with it, or use the program's full path)"
}

// call sets the task's variables, calls a bound function and returns its result or its failure.
func (p *Plugin) call(ctx context.Context, name string, fn value, env map[string]string, args ...any) (any, error) {
	if !fn.IsValid() {
		return nil, &shared.Failure{Kind: shared.FailureUnsupported, Message: "the plugin does not export " + name}
	}
	if err := setEnv(env); err != nil {
		return nil, &shared.Failure{Kind: shared.FailureError, Message: err.Error()}
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = valueOf(a, fn.Type().In(i))
	}
	defer p.trace.watch(ctx)()
	var out any
	failure := p.run(name, func() error {
		results := fn.Call(in)
		out = unwrapResult(results[0].Interface())
		err, _ := reflect.TypeAssert[error](results[1])
		return err
	})
	if failure != nil {
		return nil, failure
	}
	return out, nil
}

// valueOf returns a as a reflect.Value, or the zero value of the parameter's type if a is nil.
func valueOf(a any, t reflect.Type) reflect.Value {
	if a == nil {
		return reflect.Zero(t)
	}
	return reflect.ValueOf(a)
}

// Hook calls one hook function.
func (p *Plugin) Hook(ctx context.Context, call shared.HookCall) (any, error) {
	return p.call(ctx, string(call.Point), p.bound.hooks[call.Point], call.Env, ctx, call.Context)
}

// Execute calls a tool.
func (p *Plugin) Execute(ctx context.Context, call shared.ToolCall) (string, error) {
	return as[string](p.call(ctx, pluginsource.Execute.Name, p.bound.execute[call.Tool], call.Env, ctx, call.Context, call.Args))
}

// Paths returns which files a call of a tool would touch.
func (p *Plugin) Paths(ctx context.Context, call shared.PathsCall) (sdk.ToolPaths, error) {
	return as[sdk.ToolPaths](p.call(ctx, pluginsource.Paths.Name, p.bound.paths[call.Tool], nil, call.Args))
}

// Command calls a slash command.
func (p *Plugin) Command(ctx context.Context, call shared.CommandCall) (sdk.CommandResult, error) {
	return as[sdk.CommandResult](p.call(ctx, pluginsource.ExecuteCommand.Name, p.bound.commands[call.Name], call.Env, ctx, call.Args, call.Context))
}

// Event calls the handlers of an event one after the other.
func (p *Plugin) Event(ctx context.Context, e shared.EventCall) error {
	payload, err := shared.DecodePayload(e.Payload)
	if err != nil {
		return &shared.Failure{Kind: shared.FailureWire, Message: err.Error()}
	}
	var failures []error
	defer p.trace.watch(ctx)()
	for _, handler := range p.desk.handlers(e.Name) {
		failure := p.run("event "+e.Name, func() error {
			return handler(ctx, sdk.Event{Name: e.Name, Sender: e.Sender, Payload: payload})
		})
		if failure != nil {
			failures = append(failures, failure)
		}
	}
	return errors.Join(failures...)
}

func as[T any](v any, err error) (T, error) {
	out, ok := v.(T)
	if err == nil && !ok {
		err = fmt.Errorf("calling the plugin: got a %T, want a %T", v, out)
	}
	return out, err
}
