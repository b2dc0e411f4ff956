package shim

import (
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"strings"
)

// ours is the beginning of the names of functions that are not the plugin's.
const ours = "github.com/idelchi/aura/internal/runtime/native/"

// explain must be called by the deferred function that recovered v. It returns the message of the panic with the innermost function of the
// plugin, and prints the rest to the log.
func explain(doing string, v any) string {
	message := text(v)
	_, _ = fmt.Fprintf(os.Stderr, "panic in %s: %s\n%s", doing, message, debug.Stack())
	if at := innermost(); at != "" {
		message += " (" + at + ")"
	}
	return message
}

// text returns the text of a panic's value. The value's own methods may panic.
func text(v any) (out string) {
	defer func() {
		if recover() != nil {
			out = fmt.Sprintf("a value of the type %T", v)
		}
	}()
	return fmt.Sprint(v)
}

// innermost returns the innermost function below the panic that belongs neither to the runtime nor to this package.
func innermost() string {
	var counters [64]uintptr
	frames := runtime.CallersFrames(counters[:runtime.Callers(0, counters[:])])
	panicked := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime.") && !strings.HasPrefix(f.Function, "reflect.") && !strings.HasPrefix(f.Function, ours):
			return fmt.Sprintf("in %s, %s:%d", path.Base(f.Function), path.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
