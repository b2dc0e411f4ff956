package box

import (
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Print writes values as the built-in functions print and println do. between is written between them, and end behind them.
func (s *Space) Print(between, end string, values ...any) {
	var texts []string
	for _, v := range values {
		texts = append(texts, printed(v))
	}
	_, _ = io.WriteString(s.stderr, strings.Join(texts, between)+end)
}

// Operands returns arguments of functions such as fmt.Print, which look for strings among them.
func (s *Space) Operands(values ...any) []any {
	var out []any
	for i, v := range values {
		b, ok := open(v).(boxed)
		if !ok || reflect.ValueOf(b.content().V).Kind() != reflect.String {
			continue
		}
		if out == nil {
			out = append([]any{}, values...)
		}
		out[i] = fmt.Sprint(v)
	}
	if out == nil {
		return values
	}
	return out
}

// Words is an interface value for Print, which prints its two words.
func (s *Space) Words(v any) any {
	if v == nil {
		return pair{}
	}
	return pair{reflect.ValueOf(&v).Pointer()}
}

type pair [1]uintptr

// printed returns a value as the runtime prints it.
func printed(v any) string {
	if w, ok := v.(pair); ok {
		return fmt.Sprintf("(%#x,%#[1]x)", w[0])
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Float32:
		return strconv.FormatFloat(r.Float(), 'g', -1, 32)
	case reflect.Float64:
		return strconv.FormatFloat(r.Float(), 'g', -1, 64)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", r.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", r.Len(), r.Cap(), r.Pointer())
	case reflect.Invalid:
		return "0x0"
	default:
		return fmt.Sprint(v)
	}
}
