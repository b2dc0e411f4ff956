package interp

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/idelchi/aura/internal/golang/box"
)

// traceLimit is the largest number of lines that are kept for running panics.
const traceLimit = 1024

// trace receives the interpreter's own reports: while a panic unwinds, one line per interpreted function, innermost first. It
// forwards the lines and keeps them by goroutine, so that a recovered panic can be located.
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
	if _, err := t.out.Write(nested().ReplaceAll(b, []byte(".func(...)\n"))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// nested matches the end of a line about a function literal. The source has fewer literals around it than the lowered source: see package lower.
var nested = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\.func)+\(\.\.\.\)\n$`) })

// goroutine returns the number of the current goroutine.
func goroutine() string {
	var buf [64]byte
	text := buf[:runtime.Stack(buf[:], false)]
	text = bytes.TrimPrefix(text, []byte("goroutine "))
	id, _, _ := bytes.Cut(text, []byte(" "))
	return string(id)
}

// forget drops the lines of the current goroutine.
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
		// Goroutines that recovered their own panics never call forget.
		t.lines = nil
	}
}

// relative makes the paths of the plugin's files relative.
func (t *trace) relative(text string) string {
	return strings.ReplaceAll(text, t.root, "")
}

// frameLine matches the interpreter's lines: file:line:column, and the function with its import path.
var frameLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.*:\d+):\d+: panic: (.*)\(\.\.\.\)\n$`)
})

// explain must be called by the deferred function that recovered v. It returns the panic's message and location, and logs the
// rest. The interpreter knows the function and its first line, but not the statement.
func (t *trace) explain(doing string, v any) string {
	message := t.relative(panicText(v))
	frames, native := t.stack()
	_, _ = fmt.Fprintf(t.out, "panic in %s: %s\n%s", doing, message, native)
	if len(frames) == 0 {
		return message
	}
	innermost := frames[0]
	for len(frames) > 1 && innermost[2] == "" {
		frames = frames[1:]
		innermost = frames[0]
	}
	return fmt.Sprintf("%s (in %s, %s)", message, path.Base(innermost[2]), t.relative(innermost[1]))
}

// stack returns the interpreted functions of the current panic, innermost first, and the compiled functions that belong neither
// to the interpreter with its helpers nor to the runtime.
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
			strings.HasPrefix(f.Function, "runtime."), strings.HasPrefix(f.Function, "github.com/idelchi/aura/internal/golang/interp."),
			strings.HasPrefix(f.Function, "github.com/idelchi/aura/internal/golang/box."):
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
			m[2] = sourceName(m[2])
			frames = append(frames, m)
		}
	}
	// Earlier lines belong to panics that the plugin recovered itself.
	return frames[max(0, len(frames)-depth):], compiled.String()
}

// generated matches the names of lowered functions: what they were made of, and for methods the length of the type's name.
var generated = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*\.)(?:M(\d+)_(\w+)|aura_([a-z]*?)_?\d+)$`) })

// sourceName returns the name of a function in the source by its name in lowered source. It is empty for a function that the
// source does not have.
func sourceName(name string) string {
	// The body of a function that defers calls is a function in it, and one that recovers has a variant. See package lower.
	for strings.HasSuffix(name, ".func") {
		name = strings.TrimSuffix(name, ".func")
	}
	name = strings.TrimSuffix(name, "_aura_r")
	m := generated().FindStringSubmatch(name)
	switch {
	case m == nil:
		return name
	case m[2] != "":
		if n, err := strconv.Atoi(m[2]); err == nil && n < len(m[3]) {
			return m[1] + m[3][:n] + "." + m[3][n+1:]
		}
		return name
	case m[4] == "f":
		return ""
	case m[4] == "var":
		return m[1] + "init"
	default:
		return m[1] + m[4]
	}
}

// panicText returns a panic's value as text. The value of a panic in interpreted code is a reflect.Value, possibly inside an
// interface value of the interpreter.
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

// isInterfaceValue reports whether a type is the one in which the interpreter wraps values of types that have methods.
func isInterfaceValue(t reflect.Type) bool {
	return t.Name() == "valueInterface" && t.PkgPath() == "github.com/traefik/yaegi/interp"
}

// contentOf returns the value inside an interface value of the interpreter, whose fields are unexported.
func contentOf(iface reflect.Value) any {
	copied := reflect.New(iface.Type()).Elem()
	copied.Set(iface)
	field := copied.FieldByName("value")
	return *(*reflect.Value)(unsafe.Pointer(field.UnsafeAddr()))
}
