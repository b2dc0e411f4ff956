package interp

import (
	"fmt"
	"io"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/idelchi/aura/internal/golang/box"
)

// traceLimit is the largest number of goroutines whose last panics are remembered.
const traceLimit = 64

// trace receives the interpreter's own reports: while a panic unwinds, one line for each interpreted function. At the first, it finds where the panic
// comes from, prints that, and remembers it by goroutine until the panic is reported.
type trace struct {
	out io.Writer
	// root is the plugin's directory with a trailing separator.
	root string

	mu     sync.Mutex
	panics map[string][]place
}

func (t *trace) Write(b []byte) (int, error) {
	if goesOn() {
		return len(b), nil
	}
	text := stackText()
	list := inSource(text)
	t.mu.Lock()
	if t.panics == nil || len(t.panics) >= traceLimit {
		// Goroutines that recovered their own panics never call forget.
		t.panics = map[string][]place{}
	}
	t.panics[goroutineOf(text)] = list
	t.mu.Unlock()
	var out strings.Builder
	for _, p := range list {
		fmt.Fprintf(&out, "%s:%d: panic: %s(...)\n", p.file, p.line, p.function)
	}
	if _, err := io.WriteString(t.out, out.String()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// passing lists the functions that recover a panic and panic again: the interpreter, the frame of a function that defers calls, and what a segment of
// the stack returns to.
var passing = []string{
	"github.com/traefik/yaegi/interp.runCfg.func1", "github.com/idelchi/aura/internal/golang/box.(*Frame).end",
	"github.com/idelchi/aura/internal/golang/interp.(*stackEnd).further",
}

// goesOn reports whether the panic that is reported was reported before.
func goesOn() bool {
	var pcs [16]uintptr
	callers := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := callers.Next()
		if f.Function == "runtime.gopanic" && more {
			f, _ = callers.Next()
			return slices.Contains(passing, f.Function)
		}
		if !more {
			return false
		}
	}
}

// goroutine returns the number of the current goroutine.
func goroutine() string {
	var buf [64]byte
	return goroutineOf(string(buf[:runtime.Stack(buf[:], false)]))
}

// goroutineOf returns the number of the goroutine of a trace.
func goroutineOf(trace string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(trace, "goroutine "), " ")
	return id
}

// forget drops what is remembered of the current goroutine.
func (t *trace) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.panics) > 0 {
		id := goroutine()
		delete(t.panics, origin(id))
		delete(t.panics, id)
	}
}

// relative makes the paths of the plugin's files relative.
func (t *trace) relative(text string) string {
	return strings.ReplaceAll(text, t.root, "")
}

// explain must be called by the deferred function that recovered v. It returns the panic's message and location, and logs the compiled functions.
func (t *trace) explain(doing string, v any) string {
	message := t.relative(panicText(v))
	_, _ = fmt.Fprintf(t.out, "panic in %s: %s\n%s", doing, message, compiledStack())
	t.mu.Lock()
	list := t.panics[origin(goroutine())]
	t.mu.Unlock()
	if len(list) == 0 {
		return message
	}
	name := path.Base(list[0].function)
	if of, _, ok := strings.Cut(name, ".init."); ok {
		name = of + ".init" // Go numbers init functions.
	}
	return fmt.Sprintf("%s (in %s, %s:%d)", message, name, t.relative(list[0].file), list[0].line)
}

// compiledStack returns the compiled functions of the current panic that belong neither to the interpreter with its helpers nor to the runtime.
func compiledStack() string {
	var out strings.Builder
	pcs := make([]uintptr, 4096)
	callers := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := callers.Next()
		if f.Function != "" && !isInternal(f.Function) {
			fmt.Fprintf(&out, "\t%s %s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			return out.String()
		}
	}
}

// isInternal reports whether a compiled function belongs to the interpreter, its helpers or the runtime.
func isInternal(name string) bool {
	for _, prefix := range []string{
		"github.com/traefik/yaegi/", "reflect.", "runtime.", "github.com/idelchi/aura/internal/golang/interp.", "github.com/idelchi/aura/internal/golang/box.",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// panicText returns a panic's value as text. The value of a panic of the interpreter itself is a reflect.Value.
func panicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a value of type %T", v)
		}
	}()
	for {
		if e, ok := v.(*reflect.ValueError); ok && e.Kind == reflect.Invalid {
			// The interpreter's message for a nil pointer describes the internals of the interpreter.
			return "invalid memory address or nil pointer dereference"
		}
		v = box.Runtime(v)
		rv, ok := v.(reflect.Value)
		if !ok {
			return fmt.Sprint(v)
		}
		if !rv.IsValid() {
			return "panic called with nil argument"
		}
		if rv.Kind() == reflect.Interface {
			rv = rv.Elem()
		}
		if !rv.IsValid() || !rv.CanInterface() {
			return "panic called with nil argument"
		}
		v = rv.Interface()
	}
}
