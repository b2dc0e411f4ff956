package interp

import (
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// ourSymbols returns the symbols of the package that repaired source imports.
func ourSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"panic": reflect.ValueOf(raise), "error": reflect.ValueOf((*error)(nil)), "wrapped": reflect.ValueOf(wrapped),
		"kept": reflect.ValueOf(kept), "some": reflect.ValueOf(some),
		"closer": reflect.ValueOf((*io.Closer)(nil)), "stringer": reflect.ValueOf((*fmt.Stringer)(nil)),
		"unwrapper": reflect.ValueOf((*unwrapper)(nil)), "joined": reflect.ValueOf((*joined)(nil)),
	}
}

// raise panics with the unchanged value.
func raise(v any) { panic(v) }

// wrapped reports whether the interpreter has wrapped a value in its own interface type, as it does with types of the source
// that have methods. The types inside such wrappers are never built-in types.
func wrapped(v any) bool { return v != nil && isInterfaceValue(reflect.TypeOf(v)) }

type (
	unwrapper interface{ Unwrap() error }
	joined    interface{ Unwrap() []error }
)

// nothing replaces nil in an assertion that may fail. It has no methods, so that the assertion does fail.
type nothing struct{ _ int }

// some is kept for an assertion that may fail. It replaces nil, because the interpreter cannot look inside nil.
func some(v any) []any {
	if b := detachValue(v); b != nil {
		return []any{b}
	}
	return []any{nothing{}}
}

// kept returns the result of detachValue as the only element of a slice, because the interpreter would wrap a result that is an
// interface value again.
func kept(v any) []any { return []any{detachValue(v)} }

// detachValue returns a value in an interface value that does not depend on where it is opened. An interface value of the interpreter
// consists of a value and the expression that the value came from. When the interpreter looks up methods, it evaluates the
// expression again, with the variables of the current function. detachValue replaces the expression with a constant.
func detachValue(v any) any {
	if v == nil || !isInterfaceValue(reflect.TypeOf(v)) {
		return v
	}
	iface := reflect.New(reflect.TypeOf(v)).Elem()
	iface.Set(reflect.ValueOf(v))
	value, ok := contentOf(iface).(reflect.Value)
	place := iface.FieldByName("node")
	if !ok || !value.IsValid() || place.IsNil() {
		return unwrap(v, 0)
	}
	expression := reflect.New(place.Type().Elem())
	expression.Elem().Set(reflect.NewAt(place.Type(), place.Addr().UnsafePointer()).Elem().Elem())
	constant := expression.Elem().FieldByName("rval")
	*(*reflect.Value)(constant.Addr().UnsafePointer()) = value
	*(*unsafe.Pointer)(place.Addr().UnsafePointer()) = expression.UnsafePointer()
	return iface.Interface()
}
