package interp

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// traceLimit bounds the number of lines remembered for panics under way.
const traceLimit = 1024

// trace receives what the interpreter itself reports: while a panic unwinds, one line per interpreted function, innermost
// first. It passes the lines on and remembers them by goroutine, so that a recovered panic can be located.
type trace struct {
	out io.Writer
	// root is the plugin's directory with a trailing separator.
	root string

	mu    sync.Mutex
	lines []traceLine
}

type traceLine struct {
	goroutine string
	text      string
}

func (t *trace) Write(b []byte) (int, error) {
	id := goroutine()
	t.mu.Lock()
	if len(t.lines) < traceLimit {
		t.lines = append(t.lines, traceLine{goroutine: id, text: string(b)})
	}
	t.mu.Unlock()
	return t.out.Write(b)
}

// goroutine returns the number of the goroutine it runs in.
func goroutine() string {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	id, _, _ := bytes.Cut(text, []byte(" "))
	return string(id)
}

// forget drops the lines of the goroutine it runs in.
func (t *trace) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return
	}
	id := goroutine()
	kept := t.lines[:0]
	for _, l := range t.lines {
		if l.goroutine != id {
			kept = append(kept, l)
		}
	}
	t.lines = kept
	if len(t.lines) >= traceLimit {
		// Goroutines that recovered their panics themselves never come here.
		t.lines = nil
	}
}

// relative shortens the paths of the plugin's files.
func (t *trace) relative(text string) string {
	return strings.ReplaceAll(text, t.root, "")
}

// frameLine is the shape of the interpreter's lines: file:line:column, and the function with its import path.
var frameLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*:\d+):\d+: panic: (.*)\(\.\.\.\)\n$`)
})

// explain must be called by the deferred function that recovered v. It returns the panic's message and where it happened, and
// logs the rest. The interpreter knows the function and the line where the function begins, not the statement.
func (t *trace) explain(doing string, v any) string {
	message := t.relative(panicText(v))
	frames, native := t.stack()
	_, _ = fmt.Fprintf(t.out, "panic in %s: %s\n%s", doing, message, native)
	if len(frames) == 0 {
		return message
	}
	innermost := frames[0]
	return fmt.Sprintf("%s (in %s, %s)", message, path.Base(innermost[2]), t.relative(innermost[1]))
}

// stack returns the interpreted functions that the present panic went through, innermost first, and the compiled ones that are
// neither the interpreter's nor the runtime's.
func (t *trace) stack() (frames [][]string, native string) {
	depth := 0
	var compiled strings.Builder
	pcs := make([]uintptr, 4096)
	callers := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := callers.Next()
		switch {
		case f.Function == "github.com/traefik/yaegi/interp.runCfg":
			depth++
		case strings.HasPrefix(f.Function, "github.com/traefik/yaegi/"), strings.HasPrefix(f.Function, "reflect."),
			strings.HasPrefix(f.Function, "runtime."), strings.HasPrefix(f.Function, "github.com/idelchi/aura/internal/interp."):
		case f.Function != "":
			fmt.Fprintf(&compiled, "\t%s %s:%d\n", f.Function, f.File, f.Line)
		}
		if !more {
			break
		}
	}
	id := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, l := range t.lines {
		if m := frameLine().FindStringSubmatch(l.text); l.goroutine == id && m != nil {
			frames = append(frames, m)
		}
	}
	// Earlier lines are those of panics that the plugin recovered itself.
	return frames[max(0, len(frames)-depth):], compiled.String()
}

// panicText words a panic's value. What interpreted code panics with arrives as a reflect.Value, possibly in an interface value of the
// interpreter's.
func panicText(v any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("a value of type %T", v)
		}
	}()
	for {
		if e, ok := v.(*reflect.ValueError); ok && e.Kind == reflect.Invalid {
			// What the interpreter says of a nil pointer speaks of its own inside.
			return "invalid memory address or nil pointer dereference"
		}
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
		if rv.IsValid() && isInterfaceValue(rv.Type()) {
			v = contentOf(rv)
			continue
		}
		if !rv.IsValid() || !rv.CanInterface() {
			return "panic called with nil argument"
		}
		v = rv.Interface()
	}
}

// isInterfaceValue reports whether a type is the one in which the interpreter keeps values of types that have methods.
func isInterfaceValue(t reflect.Type) bool {
	return t.Name() == "valueInterface" && t.PkgPath() == "github.com/traefik/yaegi/interp"
}

// contentOf reads the value out of the interpreter's own interface type, whose fields are unexported.
func contentOf(iface reflect.Value) any {
	copied := reflect.New(iface.Type()).Elem()
	copied.Set(iface)
	field := copied.FieldByName("value")
	return *(*reflect.Value)(unsafe.Pointer(field.UnsafeAddr()))
}
