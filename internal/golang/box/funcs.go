package box

import (
	"errors"
	"reflect"
)

// Funcs returns functions for a template. Package template does not know that boxes hold functions.
func (s *Space) Funcs(funcs map[string]any) map[string]any {
	out := make(map[string]any, len(funcs))
	a := access{space: s}
	for name, f := range funcs {
		out[name] = f
		b, ok := open(f).(boxed)
		if !ok {
			continue
		}
		t, fn := b.content().T.base(), reflect.ValueOf(b.content().V)
		if fn.Kind() != reflect.Func || fn.IsNil() {
			continue
		}
		out[name] = a.function(t, fn)
	}
	return out
}

// function returns a function of the source for a template, which checks the number of arguments.
func (a access) function(t *Type, fn reflect.Value) any {
	in := make([]reflect.Type, fn.Type().NumIn())
	for i := range in {
		in[i] = anyType
	}
	if t.variadic {
		in[len(in)-1] = reflect.SliceOf(anyType)
	}
	out := []reflect.Type{anyType, reflect.TypeFor[error]()}
	return reflect.MakeFunc(reflect.FuncOf(in, out, t.variadic), func(values []reflect.Value) []reflect.Value {
		var args []any
		for i, v := range values {
			if t.variadic && i == len(values)-1 {
				args = append(args, v.Interface().([]any)...) //nolint:forcetypeassert // see above
			} else {
				args = append(args, v.Interface())
			}
		}
		result, err := a.call("", fn, t.variadic, args)
		if failed, ok := errors.AsType[*callError](err); ok {
			err = failed.error
		}
		results := []reflect.Value{reflect.New(out[0]).Elem(), reflect.New(out[1]).Elem()}
		if err != nil {
			results[1].Set(reflect.ValueOf(err))
		} else if x := view(t.result, result, false, 0); x != nil {
			results[0].Set(reflect.ValueOf(x))
		}
		return results
	}).Interface()
}

// callError is the error of a method or function.
type callError struct {
	name string
	error
}

func (e *callError) Error() string { return "error calling " + e.name + ": " + e.error.Error() }

func (e *callError) Unwrap() error { return e.error }
