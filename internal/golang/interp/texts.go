package interp

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/idelchi/aura/internal/golang/box"
)

// fmtSymbols returns replacements for the printing functions of package fmt. They print the contents of interface values and
// use the given standard output, which the plugin may replace.
func (m *methods) fmtSymbols(stdout **os.File) map[string]reflect.Value {
	see := m.printable
	return map[string]reflect.Value{
		"Print": reflect.ValueOf(func(a ...any) (int, error) { return fmt.Fprint(*stdout, see(a)...) }),
		"Printf": reflect.ValueOf(func(f string, a ...any) (int, error) {
			f, a = box.Args(f, see(a))
			return fmt.Fprintf(*stdout, f, a...)
		}),
		"Println": reflect.ValueOf(func(a ...any) (int, error) { return fmt.Fprintln(*stdout, see(a)...) }),
		"Fprint":  reflect.ValueOf(func(w io.Writer, a ...any) (int, error) { return fmt.Fprint(w, see(a)...) }),
		"Fprintf": reflect.ValueOf(func(w io.Writer, f string, a ...any) (int, error) {
			f, a = box.Args(f, see(a))
			return fmt.Fprintf(w, f, a...)
		}),
		"Fprintln": reflect.ValueOf(func(w io.Writer, a ...any) (int, error) { return fmt.Fprintln(w, see(a)...) }),
		"Sprint":   reflect.ValueOf(func(a ...any) string { return fmt.Sprint(see(a)...) }),
		"Sprintf": reflect.ValueOf(func(f string, a ...any) string {
			f, a = box.Args(f, see(a))
			return fmt.Sprintf(f, a...)
		}),
		"Sprintln": reflect.ValueOf(func(a ...any) string { return fmt.Sprintln(see(a)...) }),
		"Errorf": reflect.ValueOf(func(f string, a ...any) error {
			f, a = box.Args(f, see(a))
			return fmt.Errorf(f, a...)
		}),
	}
}

// jsonSymbols returns replacements for the encoding functions of package json. They encode the contents of interface values.
func (m *methods) jsonSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"Marshal": reflect.ValueOf(func(v any) ([]byte, error) { return json.Marshal(m.marshalable(v)) }),
		"MarshalIndent": reflect.ValueOf(func(v any, prefix, indent string) ([]byte, error) {
			return json.MarshalIndent(m.marshalable(v), prefix, indent)
		}),
		"Encoder":    reflect.ValueOf((*encoder)(nil)),
		"NewEncoder": reflect.ValueOf(func(w io.Writer) *encoder { return &encoder{json.NewEncoder(w), m} }),
	}
}

// encoder is a json.Encoder that encodes the contents of interface values.
type encoder struct {
	*json.Encoder

	methods *methods
}

// Encode writes the JSON encoding of v.
func (e *encoder) Encode(v any) error { return e.Encoder.Encode(e.methods.marshalable(v)) }

// shown is a value of an interpreted type that has a String method. The interpreter's wrapper has the method, but it is not the
// value itself.
type shown struct {
	fmt.Stringer

	value any
}

// show returns the value that package fmt must receive for a Stringer.
func show(s fmt.Stringer) any {
	v := reflect.ValueOf(s)
	if v.Kind() != reflect.Struct || v.NumField() == 0 || v.Type().Field(0).Name != "IValue" {
		return s
	}
	if _, ok := s.(fmt.Formatter); ok {
		return s
	}
	return shown{s, v.Field(0).Interface()}
}

// Format calls the String method for verbs that print text, and prints the value for all others.
func (s shown) Format(state fmt.State, verb rune) {
	var v any = s.Stringer
	if state.Flag('#') && verb == 'v' || !strings.ContainsRune("vsxXq", verb) {
		v = s.value
	}
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), v)
}
