package box

import (
	"reflect"
	"runtime"
	"strings"
)

// runtimeError is an error of the Go runtime.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }

// RuntimeError marks errors of the runtime.
func (e runtimeError) RuntimeError() {}

var _ runtime.Error = runtimeError("")

const errNil = runtimeError("runtime error: invalid memory address or nil pointer dereference")

// NilReceiver panics as Go does where a method of a nil interface value is called.
func (s *Space) NilReceiver() { panic(errNil) }

// Panic panics with v. The built-in function of the interpreter wraps what it panics with.
func (s *Space) Panic(v any) { panic(v) }

// Recovered returns the value of a recovered panic as Go has it.
func (s *Space) Recovered(v any) any {
	v = open(v)
	if e, ok := v.(reflect.Value); ok {
		if !e.IsValid() || !e.CanInterface() {
			return nil
		}
		return s.Recovered(e.Interface())
	}
	return Runtime(v)
}

// runtimeErrors holds the errors of the Go runtime for the texts with which package reflect panics.
var runtimeErrors = map[string]error{
	"reflect: Method on nil interface value":   errNil,
	"reflect.Value.Call: call of nil function": errNil,
	"reflect.MakeSlice: negative len":          runtimeError("runtime error: makeslice: len out of range"),
	"reflect.MakeSlice: negative cap":          runtimeError("runtime error: makeslice: cap out of range"),
	"reflect.MakeSlice: len > cap":             runtimeError("runtime error: makeslice: cap out of range"),
	"reflect.MakeChan: negative buffer size":   runtimeError("makechan: size out of range"),
}

// Runtime returns the error of the Go runtime for a panic of the interpreter, which panics with errors of package reflect. Other
// values are returned as they are.
func Runtime(v any) any {
	switch e := v.(type) {
	case *reflect.ValueError:
		return errNil
	case string:
		if known, ok := runtimeErrors[e]; ok {
			return known
		}
		switch {
		case strings.HasPrefix(e, "reflect: ") && strings.HasSuffix(e, "index out of range"):
			return runtimeError("runtime error: index out of range")
		case strings.HasPrefix(e, "reflect.Value.Slice") || strings.HasPrefix(e, "reflect.Value.SetLen"):
			return runtimeError("runtime error: slice bounds out of range")
		}
	case error:
		if strings.HasPrefix(e.Error(), "runtime error: ") {
			return e
		}
	}
	return v
}
