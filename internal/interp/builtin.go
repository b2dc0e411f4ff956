package interp

import (
	"fmt"
	"io"
	"reflect"
	"unsafe"
)

// ourSymbols are what the package holds that repaired source imports.
func ourSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"panic": reflect.ValueOf(raise), "error": reflect.ValueOf((*error)(nil)), "wrapped": reflect.ValueOf(wrapped),
		"kept": reflect.ValueOf(kept), "some": reflect.ValueOf(some),
		"closer": reflect.ValueOf((*io.Closer)(nil)), "stringer": reflect.ValueOf((*fmt.Stringer)(nil)),
		"unwrapper": reflect.ValueOf((*unwrapper)(nil)), "joined": reflect.ValueOf((*joined)(nil)),
	}
}

// raise is a panic with the value as it is.
func raise(v any) { panic(v) }

// wrapped reports whether the interpreter has put a value into one of its own, as it does with types of the source that have
// methods. The types behind those are none that are built in.
func wrapped(v any) bool { return v != nil && isInterfaceValue(reflect.TypeOf(v)) }

type (
	unwrapper interface{ Unwrap() error }
	joined    interface{ Unwrap() []error }
)

// nothing stands for nil in an assertion that may fail. It has no methods, so that the assertion does.
type nothing struct{ _ int }

// some is kept for an assertion that may fail: the interpreter cannot look behind nil.
func some(v any) []any {
	if b := keep(v); b != nil {
		return []any{b}
	}
	return []any{nothing{}}
}

// kept returns what keep does as the only element of a list: the interpreter would put an interface value that is a result into another one.
func kept(v any) []any { return []any{keep(v)} }

// keep returns a value in an interface value that does not depend on where it is opened. An interface value has a value and the expression that the value came from;
// where the interpreter looks for methods, it computes the expression again, with the variables of the function that it is in.
// The new one has an expression that is a constant.
func keep(v any) any {
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
