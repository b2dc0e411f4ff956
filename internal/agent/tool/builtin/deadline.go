package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
)

// finishing is how long a tool has to return after its deadline with what it found so far.
const finishing = time.Second

// timed gives the calls of a tool a deadline. Every tool returns soon after its context ends, except if the system does not return from
// reading or writing. Such a call is abandoned: it does nothing that a caller sees, and ends with the process at the latest. A confined
// process ends with its call.
type timed struct {
	tool.Tool
	options Options
}

// Unwrap returns the tool itself.
func (t timed) Unwrap() tool.Tool { return t.Tool }

// Deadline returns a context for a call of the named built-in tool that ends a grace after the deadline of the call. Its cause names the
// setting. Bash has a timeout of its own.
func (o Options) Deadline(ctx context.Context, name string, grace time.Duration) (context.Context, context.CancelFunc) {
	if name == BashName {
		return context.WithCancel(ctx)
	}
	limit := cmp.Or(o.Timeout, defaultTimeout)
	return context.WithTimeoutCause(ctx, limit+grace, fmt.Errorf("%s was stopped after %s, the limit tools.timeout; narrow the call, or raise the limit", name, limit))
}

// Execute runs the tool. It returns at most a second after the deadline.
func (t timed) Execute(ctx context.Context, call tool.Call) (string, error) {
	ctx, cancel := t.options.Deadline(ctx, t.Definition().Name, 0)
	defer cancel()
	type result struct {
		output string
		err    error
	}
	done := make(chan result, 1)
	heard := &audience{}
	defer heard.leave()
	call = heard.narrowed(call)
	go func() {
		output, err := t.Tool.Execute(ctx, call)
		done <- result{output, err}
	}()
	select {
	case r := <-done:
		return r.output, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.output, r.err
	case <-time.After(finishing):
		return "", context.Cause(ctx)
	}
}

var errLeft = errors.New("the call was abandoned")

// audience passes on what a call reports until the caller has left.
type audience struct {
	mu   sync.Mutex
	left bool
}

func (a *audience) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = true
}

// narrowed returns the call with functions that do nothing once the caller has left.
func (a *audience) narrowed(call tool.Call) tool.Call {
	call.Progress = whileThere(a, call.Progress)
	call.Changed = whileThere(a, call.Changed)
	call.Wrote = whileThere(a, call.Wrote)
	call.WrotePaths = whileThere(a, call.WrotePaths)
	call.File = whileThere(a, call.File)
	if attach := call.Attach; attach != nil {
		call.Attach = func(name string, data []byte) (shownAs string, err error) {
			err = errLeft
			whileThere(a, func([]byte) { shownAs, err = attach(name, data) })(data)
			return shownAs, err
		}
	}
	return call
}

func whileThere[T any](a *audience, report func(T)) func(T) {
	if report == nil {
		return nil
	}
	return func(x T) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if !a.left {
			report(x)
		}
	}
}
