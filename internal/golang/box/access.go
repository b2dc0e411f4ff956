package box

import (
	"fmt"
	"go/token"
	"reflect"
)

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
		if f.name == name || f.embedded && f.structural() && f.inside().target() != b && f.inside().base().kind == record && declares(f.inside().base(), name) {
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
	for current, depth := []level{{b, v}}, 0; len(current) > 0 && depth < maxData; depth++ {
		var next []level
		for _, l := range current {
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
		current = next
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
	return inner{f.inside().target(), x}, x.IsValid(), !x.IsValid()
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
