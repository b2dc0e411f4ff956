package box

import (
	"errors"
	"fmt"
	"go/token"
	"reflect"
	plain "text/template"
)

// seen is a value of an own type in a template. place is the struct that it is or points to; empty for others.
type seen struct {
	Value

	place reflect.Value
}

// view returns a value as a template sees it: structs, and values of types with names, are boxes, and lists and maps have views as elements.
// all asks for lists, maps, numbers and texts of types with names too.
func view(t *Type, v reflect.Value, all bool, depth int) any {
	if depth > maxData {
		panic(fmt.Sprintf("the data of a template is nested more than %d deep, or refers to itself", maxData))
	}
	t, v = dynamic(t, v)
	if !v.IsValid() {
		return nil
	}
	b := t.base()
	if b == nil {
		return v.Interface()
	}
	if !all && t.kind == defined && b.kind != pointer && b.kind != record && v.Kind() != reflect.Func {
		return seen{Value{t, v.Interface()}, reflect.Value{}}
	}
	switch b.kind {
	case pointer:
		switch {
		case v.IsNil():
			return v.Interface()
		case b.elem.base().kind == record:
			return seen{Value{t, v.Interface()}, v.Elem()}
		}
		return view(b.elem, v.Elem(), all, depth+1)
	case record:
		return seen{Value{t, v.Interface()}, v}
	case slice, array:
		if b.kind == slice && v.IsNil() {
			return []any(nil)
		}
		out := make([]any, v.Len())
		for i := range out {
			out[i] = view(b.elem, v.Index(i), false, depth+1)
		}
		return out
	case mapping:
		out := reflect.MakeMap(reflect.MapOf(v.Type().Key(), anyType))
		for each := v.MapRange(); each.Next(); {
			elem := reflect.New(anyType).Elem()
			if x := view(b.elem, each.Value(), false, depth+1); x != nil {
				elem.Set(reflect.ValueOf(x))
			}
			out.SetMapIndex(each.Key(), elem)
		}
		return out.Interface()
	}
	return v.Interface()
}

// dynamic returns the type and the value in an interface. The type is nil for one of compiled code.
func dynamic(t *Type, v reflect.Value) (*Type, reflect.Value) {
	for v.IsValid() && v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, reflect.Value{}
		}
		if b, ok := open(v.Interface()).(boxed); ok {
			t, v = b.content().T, reflect.ValueOf(b.content().V)
			if s, ok := b.(seen); ok && s.place.IsValid() && t.base().kind == record {
				v = s.place
			}
			continue
		}
		if v = v.Elem(); t != nil && t.kind == iface {
			t = nil
		}
	}
	if t != nil && t.kind == native {
		t = nil
	}
	return t, v
}

func viewAny(v any) any {
	if s, ok := v.(seen); ok {
		return s
	}
	return view(nil, reflect.ValueOf(&v).Elem(), false, 0)
}

func plainAny(v any) any {
	if s, ok := v.(seen); ok && s.place.IsValid() {
		return s
	}
	return view(nil, reflect.ValueOf(&v).Elem(), true, 0)
}

// trueAny returns a value of which package template finds out whether it is true.
func trueAny(v any) any {
	p := plainAny(v)
	if yes, ok := plain.IsTrue(p); yes || !ok {
		return viewAny(v)
	}
	return p
}

// textAny returns a value for functions such as print, which look for strings.
func textAny(v any) any {
	if s, ok := v.(seen); ok && reflect.ValueOf(s.V).Kind() == reflect.String {
		return fmt.Sprint(s)
	}
	return v
}

// showAny returns what an action prints: what a pointer refers to, unless the pointer prints itself.
func showAny(v any) any {
	s, ok := viewAny(v).(seen)
	if !ok || !s.place.IsValid() {
		return v
	}
	t := s.T.target()
	for _, u := range []*Type{t, t.pointer} {
		for _, name := range []string{"Error", "String"} {
			if u == nil || u.methods[name].signature != "func() string" {
				continue
			}
			if u == t {
				return Value{t, s.place.Interface()}
			}
			if s.place.CanAddr() {
				return Value{u, s.place.Addr().Interface()}
			}
		}
	}
	return Value{t, s.place.Interface()}
}

// access evaluates fields and methods for templates. missing is the option for keys that a map does not have.
type access struct {
	space   *Space
	missing int64
}

// follow evaluates fields and methods one after the other. The last one gets the arguments.
func (a access) follow(receiver any, path []string, args []any) (any, error) {
	t, v := dynamic(nil, reflect.ValueOf(&receiver).Elem())
	for i, name := range path {
		if !v.IsValid() {
			if a.missing == 2 {
				return nil, fmt.Errorf("nil data; no entry for key %q", name)
			}
			return nil, nil
		}
		var with []any
		if i == len(path)-1 {
			with = args
		}
		var err error
		if t, v, err = a.step(t, v, name, with); err != nil {
			return nil, err
		}
		if i < len(path)-1 && v.IsValid() && v.Kind() == reflect.Interface && v.IsNil() {
			return nil, fmt.Errorf("nil pointer evaluating %s.%s", typeName(t, v), path[i+1])
		}
		t, v = dynamic(t, v)
	}
	return view(t, v, false, 0), nil
}

func typeName(t *Type, v reflect.Value) string {
	if t != nil {
		return t.name
	}
	return v.Type().String()
}

// step evaluates a field or a method.
func (a access) step(t *Type, v reflect.Value, name string, args []any) (*Type, reflect.Value, error) {
	whole := typeName(t, v)
	if f, variadic, result, ok := bindMethod(t, v, name); ok {
		out, err := a.call(name, f, variadic, args)
		return result, out, err
	}
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		if t != nil {
			t = t.base().elem
		}
		v = v.Elem()
		if f, variadic, result, ok := bindMethod(t, v, name); ok {
			out, err := a.call(name, f, variadic, args)
			return result, out, err
		}
	}
	return a.field(t, v, name, whole, args)
}

// field evaluates a field of a struct or a key of a map.
func (a access) field(t *Type, v reflect.Value, name, whole string, args []any) (*Type, reflect.Value, error) {
	b := t.base()
	switch {
	case v.Kind() == reflect.Pointer:
		if b == nil || b.elem.base().kind != record || declares(b.elem.base(), name) {
			return nil, v, fmt.Errorf("nil pointer evaluating %s.%s", whole, name)
		}
	case v.Kind() == reflect.Map && reflect.TypeFor[string]().AssignableTo(v.Type().Key()) && (b == nil || b.kind != mapping || b.key.kind != defined):
		if len(args) > 0 {
			return nil, v, fmt.Errorf("%s is not a method but has arguments", name)
		}
		return a.key(b, v, name)
	case b != nil && b.kind == record:
		if ft, fv, ok, err := promoted(b, v, name, whole); ok || err != nil {
			if err == nil && len(args) > 0 {
				err = fmt.Errorf("%s has arguments but cannot be invoked as function", name)
			}
			return ft, fv, err
		}
	case v.Kind() == reflect.Struct:
		if f, ok := v.Type().FieldByName(name); ok && f.IsExported() {
			out, err := v.FieldByIndexErr(f.Index)
			return nil, out, err
		}
	}
	return nil, v, fmt.Errorf("can't evaluate field %s in type %s", name, whole)
}

func (a access) key(b *Type, v reflect.Value, name string) (*Type, reflect.Value, error) {
	var elem *Type
	if b != nil && b.kind == mapping {
		elem = b.elem
	}
	x := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
	switch {
	case x.IsValid():
	case a.missing == 1:
		x = reflect.Zero(v.Type().Elem())
	case a.missing == 2:
		return nil, x, fmt.Errorf("map has no entry for key %q", name)
	}
	return elem, x, nil
}

// declares reports whether a struct has a field.
func declares(b *Type, name string) bool {
	for _, f := range b.fields {
		if f.name == name || f.embedded && f.structural() && f.typ.target() != b && f.typ.base().kind == record && declares(f.typ.base(), name) {
			return true
		}
	}
	return false
}

// promoted returns a field of a struct, or of one that is embedded in it.
func promoted(b *Type, v reflect.Value, name, whole string) (*Type, reflect.Value, bool, error) {
	type level struct {
		b *Type
		v reflect.Value
	}
	for now, depth := []level{{b, v}}, 0; len(now) > 0 && depth < maxData; depth++ {
		var next []level
		for _, l := range now {
			for i, f := range l.b.fields {
				x := reach(l.v.Field(i))
				if f.name == name {
					if !f.exported {
						return nil, v, false, fmt.Errorf("%s is an unexported field of struct type %s", name, whole)
					}
					return f.typ, x, true, nil
				}
				if in, ok, _ := embeddedStruct(f, x); ok {
					next = append(next, level{in.typ.base(), in.value})
				}
			}
		}
		now = next
	}
	return nil, v, false, nil
}

// embeddedStruct returns the struct of an embedded field. It returns false for a nil pointer.
func embeddedStruct(f field, x reflect.Value) (in inner, ok, null bool) {
	if !f.embedded || !f.structural() {
		return in, false, false
	}
	_, x = dynamic(f.typ, x)
	if x.IsValid() && x.Kind() == reflect.Pointer {
		x = x.Elem()
	}
	return inner{f.typ.target(), x}, x.IsValid(), !x.IsValid()
}

// bindMethod returns a method of a value, whether its last parameter takes several arguments, and the type of its result.
func bindMethod(t *Type, v reflect.Value, name string) (f reflect.Value, variadic bool, result *Type, ok bool) {
	if !token.IsExported(name) {
		return f, false, nil, false
	}
	if t == nil {
		if v.Kind() != reflect.Pointer && v.CanAddr() {
			v = v.Addr()
		}
		f = v.MethodByName(name)
		return f, false, nil, f.IsValid()
	}
	m, ok := t.methods[name]
	if !ok && t.pointer != nil && v.CanAddr() {
		if m, ok = t.pointer.methods[name]; ok {
			v = v.Addr()
		}
	}
	if !ok {
		return f, false, nil, false
	}
	return reflect.ValueOf(m.bind(v.Interface())), m.variadic, m.result, true
}

// call calls a method or a function as package template does.
func (a access) call(name string, f reflect.Value, variadic bool, args []any) (out reflect.Value, err error) {
	t := f.Type()
	in, err := a.arguments(name, t, variadic, args)
	if err != nil {
		return out, err
	}
	if t.NumOut() == 0 || t.NumOut() > 2 || t.NumOut() == 2 && t.Out(1) != reflect.TypeFor[error]() {
		return out, fmt.Errorf("function %s has %d return values; should be 1 or 2", name, t.NumOut())
	}
	results, err := a.safely(func() []reflect.Value {
		if t.IsVariadic() && variadic {
			return f.CallSlice(in)
		}
		return f.Call(in)
	})
	if err == nil && len(results) == 2 {
		err, _ = reflect.TypeAssert[error](results[1])
	}
	if err != nil {
		return out, &callError{name, err}
	}
	return results[0], nil
}

// safely returns a panic as an error.
func (a access) safely(f func() []reflect.Value) (results []reflect.Value, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		default:
			if e, ok := a.space.Recovered(r).(error); ok {
				err = e
			} else {
				err = fmt.Errorf("%v", a.space.Recovered(r))
			}
		}
	}()
	return f(), nil
}

// arguments returns the arguments of a call. A function of the source has a list for a variadic parameter.
func (a access) arguments(name string, t reflect.Type, variadic bool, args []any) ([]reflect.Value, error) {
	fixed := t.NumIn()
	list := variadic || t.IsVariadic()
	if list {
		fixed--
	}
	switch {
	case list && len(args) < fixed:
		return nil, fmt.Errorf("wrong number of args for %s: want at least %d got %d", name, fixed, len(args))
	case !list && len(args) != fixed:
		return nil, fmt.Errorf("wrong number of args for %s: want %d got %d", name, fixed, len(args))
	}
	var in []reflect.Value
	var rest reflect.Value
	if variadic {
		rest = reflect.MakeSlice(t.In(fixed), 0, len(args)-fixed)
	}
	for i, arg := range args {
		param := t.In(min(i, t.NumIn()-1))
		if i >= fixed {
			param = param.Elem()
		}
		v, err := a.argument(arg, param)
		switch {
		case err != nil:
			return nil, err
		case i >= fixed && variadic:
			rest = reflect.Append(rest, v)
		default:
			in = append(in, v)
		}
	}
	if variadic {
		in = append(in, rest)
	}
	return in, nil
}

// argument returns a value of a template as the interpreter has it.
func (a access) argument(arg any, to reflect.Type) (reflect.Value, error) {
	if arg == nil {
		switch to.Kind() {
		case reflect.Chan, reflect.Func, reflect.Interface, reflect.Map, reflect.Pointer, reflect.Slice:
			return reflect.Zero(to), nil
		default:
			return reflect.Value{}, fmt.Errorf("invalid value; expected %s", to)
		}
	}
	if to == anyType {
		if s, ok := arg.(seen); ok {
			arg = a.space.Box(s.V, s.T.id)
		}
		return reflect.ValueOf(&arg).Elem(), nil
	}
	v := reflect.ValueOf(arg)
	if b, ok := open(arg).(boxed); ok {
		c := b.content()
		v = reflect.ValueOf(c.V)
		if s, ok := b.(seen); ok && s.place.IsValid() && s.place.CanAddr() && to.Kind() == reflect.Pointer {
			v = s.place.Addr()
		}
	}
	return a.fitting(v, to)
}

// fitting converts a value to the type of a parameter.
func (a access) fitting(v reflect.Value, to reflect.Type) (reflect.Value, error) {
	switch {
	case v.Type().AssignableTo(to):
		return v, nil
	case v.Kind() == reflect.Pointer && !v.IsNil() && v.Type().Elem().AssignableTo(to):
		return v.Elem(), nil
	case basic(v.Kind()) != nil && basic(to.Kind()) != nil && (v.Kind() == to.Kind() || v.CanInt() && to.Kind() != reflect.String && to.Kind() != reflect.Bool):
		return v.Convert(to), nil
	case v.Kind() == reflect.Slice && (to.Kind() == reflect.Slice || to.Kind() == reflect.Array && to.Len() == v.Len()):
		out := reflect.New(to).Elem()
		if to.Kind() == reflect.Slice && !v.IsNil() {
			out.Set(reflect.MakeSlice(to, v.Len(), v.Len()))
		}
		for i := range v.Len() {
			x, err := a.argument(v.Index(i).Interface(), to.Elem())
			if err != nil {
				return out, err
			}
			out.Index(i).Set(x)
		}
		return out, nil
	case v.Kind() == reflect.Map && to.Kind() == reflect.Map && v.Type().Key() == to.Key():
		out := reflect.MakeMap(to)
		for each := v.MapRange(); each.Next(); {
			x, err := a.argument(each.Value().Interface(), to.Elem())
			if err != nil {
				return out, err
			}
			out.SetMapIndex(each.Key(), x)
		}
		return out, nil
	}
	return v, fmt.Errorf("wrong type for value; expected %s; got %s", to, v.Type())
}

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
		var failed *callError
		if errors.As(err, &failed) {
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
