package interp

import (
	"fmt"
	"reflect"
)

// ourSymbols are what the package holds that repaired source imports.
func ourSymbols() map[string]reflect.Value {
	return map[string]reflect.Value{"panic": reflect.ValueOf(raise), "error": reflect.ValueOf((*error)(nil)), "wrapped": reflect.ValueOf(wrapped)}
}

// raise is a panic with the value as it is.
func raise(v any) { panic(v) }

// wrapped reports whether the interpreter has put a value into one of its own, as it does with types of the source that have
// methods. The types behind those are none that are built in.
func wrapped(v any) bool { return fmt.Sprintf("%T", v) == "interp.valueInterface" }
