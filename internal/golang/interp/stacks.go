package interp

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/traefik/yaegi/interp"
)

// stackSymbols returns replacements for the functions by which a plugin looks at its own stack: they find the functions of the source.
func stackSymbols(src *source, stderr *os.File) interp.Exports {
	out := interp.Exports{}
	if slices.Contains(src.standard, "runtime") {
		out["runtime//runtime"] = map[string]reflect.Value{"Caller": reflect.ValueOf(caller), "Stack": reflect.ValueOf(ownStack)}
	}
	if slices.Contains(src.standard, "runtime/debug") {
		out["runtime/debug//debug"] = map[string]reflect.Value{
			"Stack":      reflect.ValueOf(func() []byte { return []byte(shownStack(stackText())) }),
			"PrintStack": reflect.ValueOf(func() { _, _ = fmt.Fprint(stderr, shownStack(stackText())) }),
		}
	}
	return out
}

// caller is runtime.Caller. There is no address of code.
func caller(skip int) (pc uintptr, file string, line int, ok bool) {
	list := inSource(stackText())
	if skip < 0 || skip >= len(list) {
		return 0, "", 0, false
	}
	return 0, list[skip].file, list[skip].line, true
}

// ownStack is runtime.Stack.
func ownStack(buf []byte, all bool) int {
	if !all {
		return copy(buf, shownStack(stackText()))
	}
	text := make([]byte, 16*maxTrace)
	var shown []string
	for trace := range strings.SplitSeq(string(text[:runtime.Stack(text, true)]), "\n\n") {
		if s := shownStack(trace); strings.Count(s, "\n") > 1 {
			shown = append(shown, s)
		}
	}
	return copy(buf, strings.Join(shown, "\n"))
}

// shownStack returns a trace of the stack with only the functions of the source.
func shownStack(trace string) string {
	var out strings.Builder
	first, _, _ := strings.Cut(trace, "\n")
	out.WriteString(first + "\n")
	for _, p := range inSource(trace) {
		fmt.Fprintf(&out, "%s(...)\n\t%s:%d\n", p.function, p.file, p.line)
	}
	return out.String()
}
