package box

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// Value is a value of a type of a plugin's own.
type Value struct {
	T *Type
	V any
}

// boxed is implemented by all boxes.
type boxed interface{ content() Value }

func (v Value) content() Value { return v }

// Box returns a value with its type.
func (s *Space) Box(v any, id int) any { return s.boxed(v, s.typ(id)) }

func (s *Space) boxed(v any, t *Type) any {
	b := Value{t, v}
	if m, ok := t.methods["Error"]; ok && m.signature == "func() string" {
		if m, ok := t.methods["Unwrap"]; ok && m.signature == "func() []error" {
			return failures{b}
		}
		return withOptions(failure{b})
	}
	if m, ok := t.methods["LogValue"]; ok && m.signature == "func() slog.Value" {
		return logged{b}
	}
	if t.hasText() {
		return textual{b}
	}
	return b
}

func (v Value) method(name string) any {
	m, ok := v.T.methods[name]
	if !ok {
		return nil
	}
	return m.bind(v.V)
}

// open returns the box in a value that may be wrapped for compiled code.
func open(v any) any {
	if v == nil {
		return nil
	}
	if _, ok := v.(boxed); ok {
		return v
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Struct && r.NumField() > 0 && r.Type().Field(0).Name == "IValue" {
		if inside, ok := reflect.TypeAssert[boxed](r.Field(0)); ok {
			return inside
		}
	}
	return v
}

// Any returns a value of an interface type of compiled code as the source sees it.
func (s *Space) Any(v any) any { return open(v) }

// Content returns the content of a box.
func (s *Space) Content(v any) any {
	if b, ok := open(v).(boxed); ok {
		return b.content().V
	}
	return v
}

// Call returns the method of a value.
func (s *Space) Call(v any, name string) any {
	v = open(v)
	if v == nil {
		panic(errNil)
	}
	if b, ok := v.(boxed); ok {
		if m := b.content().method(name); m != nil {
			return m
		}
		panic(fmt.Sprintf("the type %s has no method %s", b.content().T, name))
	}
	if m := s.adapted(v, name); m != nil {
		return m
	}
	m := reflect.ValueOf(v).MethodByName(name)
	if !m.IsValid() {
		panic(fmt.Sprintf("the type %T has no method %s", v, name))
	}
	if t := m.Type(); t.IsVariadic() {
		// Functions of the source take a list.
		ins, outs := slices.Collect(t.Ins()), slices.Collect(t.Outs())
		return reflect.MakeFunc(reflect.FuncOf(ins, outs, false), m.CallSlice).Interface()
	}
	return m.Interface()
}

// Recovering returns the variant of a method that can recover, for a deferred call, or nil.
func (s *Space) Recovering(v any, name string) any {
	if b, ok := open(v).(boxed); ok {
		return b.content().method(name + " recovering")
	}
	return nil
}

// missing returns a method of the interface t that a value does not have.
func (t *Type) missing(v any) string {
	first := ""
	for name, signature := range t.wanted {
		if !has(v, name, signature) && (first == "" || name < first) {
			first = name
		}
	}
	return first
}

func has(v any, name, signature string) bool {
	if b, ok := v.(boxed); ok {
		m, ok := b.content().T.methods[name]
		return ok && m.signature == signature
	}
	m, ok := reflect.TypeOf(v).MethodByName(name)
	if !ok {
		return false
	}
	return strings.ReplaceAll(bound(m.Type), "interface {}", "any") == strings.ReplaceAll(signature, "interface {}", "any")
}

// bound returns a method's type without its receiver.
func bound(t reflect.Type) string {
	var in, out []reflect.Type
	for i := 1; i < t.NumIn(); i++ {
		in = append(in, t.In(i))
	}
	for out0 := range t.Outs() {
		out = append(out, out0)
	}
	return reflect.FuncOf(in, out, t.IsVariadic()).String()
}

// Is reports whether a value is of a type.
func (s *Space) Is(v any, id int) bool {
	v = open(v)
	if v == nil {
		return false
	}
	t := s.typ(id)
	switch {
	case t.kind == iface:
		return t.missing(v) == ""
	case t.exact != nil:
		return reflect.TypeOf(v) == t.exact
	default:
		b, ok := v.(boxed)
		return ok && b.content().T == t
	}
}

// Get returns the content of a value that is of a type, and panics otherwise. static is the interface type of the value.
func (s *Space) Get(v any, id int, static string) any {
	v = open(v)
	t := s.typ(id)
	if !s.Is(v, id) {
		panic(runtimeError(mismatch(v, t, static)))
	}
	switch {
	case t.kind == iface && t.exact != nil:
		return s.To(v, id)
	case t.kind == iface:
		return v
	}
	if b, ok := v.(boxed); ok {
		return b.content().V
	}
	return v
}

// mismatch returns the text of a failed assertion.
func mismatch(v any, t *Type, static string) string {
	if v == nil {
		if t.kind == iface {
			static = "interface"
		}
		return "interface conversion: " + static + " is nil, not " + t.name
	}
	if t.kind == iface {
		return "interface conversion: " + nameOf(v) + " is not " + t.name + ": missing method " + t.missing(v)
	}
	return "interface conversion: " + static + " is " + nameOf(v) + ", not " + t.name
}

// nameOf returns the name of a value's type.
func nameOf(v any) string {
	if b, ok := v.(boxed); ok {
		return b.content().T.name
	}
	return fmt.Sprintf("%T", v)
}

// To returns a value as an interface of compiled code.
func (s *Space) To(v any, id int) any {
	v = open(v)
	t := s.typ(id)
	b, ok := v.(boxed)
	if !ok || t.exact == nil || reflect.TypeOf(v).Implements(t.exact) && t.exact == reflect.TypeFor[error]() {
		return v
	}
	if t.wrapper == nil {
		panic(fmt.Sprintf("the type %s cannot be used as %s: the interpreter cannot pass it to compiled code", b.content().T, t.name))
	}
	w := reflect.New(t.wrapper).Elem()
	w.Field(0).Set(reflect.ValueOf(v))
	for i := 1; i < w.NumField(); i++ {
		name := strings.TrimPrefix(t.wrapper.Field(i).Name, "W")
		m := b.content().method(name)
		if m == nil {
			continue
		}
		if f := reflect.ValueOf(m); f.Type().AssignableTo(w.Field(i).Type()) {
			w.Field(i).Set(f)
		}
	}
	return optional(b.content(), w.Interface(), t.exact)
}

// Equal compares two interface values.
func (s *Space) Equal(a, b any) bool {
	a, b = open(a), open(b)
	if x, ok := a.(boxed); ok {
		y, ok := b.(boxed)
		if !ok || x.content().T != y.content().T {
			return false
		}
		if v := x.content().V; v != nil && !reflect.TypeOf(v).Comparable() {
			panic(runtimeError("runtime error: comparing uncomparable type " + x.content().T.name))
		}
	}
	return a == b
}

// Key returns a key of a map, which must be hashable.
func (s *Space) Key(v any) any {
	v = open(v)
	content := Plain(v)
	if content != nil && !reflect.ValueOf(content).Comparable() {
		panic(runtimeError("runtime error: hash of unhashable type " + nameOf(v)))
	}
	return v
}

// ContextKey returns a key of a context, which must be comparable.
func (s *Space) ContextKey(v any) any {
	if content := Plain(v); content != nil && !reflect.TypeOf(content).Comparable() {
		panic("key is not comparable")
	}
	return v
}

// Consistent returns what is stored in an atomic.Value, which takes values of one type only. All boxes are of the same one.
func (s *Space) Consistent(before, v any, operation string) any {
	x, ok := open(before).(boxed)
	y, ok2 := open(v).(boxed)
	if ok && ok2 && x.content().T != y.content().T {
		panic("sync/atomic: " + operation + " of inconsistently typed value into Value")
	}
	return v
}

// Same compares two values of one type that is not an interface.
func (s *Space) Same(a, b any) bool { return a == b }

// As is errors.As for a type of the source. set gets the error. target is the pointer to which set assigns, for methods As.
func (s *Space) As(err error, id int, target any, set func(any)) bool {
	for err != nil {
		if s.Is(err, id) {
			set(open(err))
			return true
		}
		if b, ok := open(err).(boxed); ok && b.content().as(target) {
			return true
		}
		switch e := err.(type) { //nolint:errorlint // this walks the chain
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			for _, inside := range e.Unwrap() {
				if s.As(inside, id, target, set) {
					return true
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// AsAny is errors.As for a target that may point to a value of a type of the source.
func (s *Space) AsAny(err error, target any) bool {
	b, ok := open(target).(boxed)
	if !ok || err == nil {
		return errors.As(err, target)
	}
	c := b.content()
	p, t := reflect.ValueOf(c.V), c.T.base()
	if t.kind != pointer || p.IsNil() {
		panic("errors: target must be a non-nil pointer")
	}
	if t.elem.base().kind != iface && t.elem.methods["Error"].bind == nil {
		panic("errors: *target must be interface or implement error")
	}
	return s.As(err, t.elem.id, target, func(v any) {
		if found, ok := v.(boxed); ok && t.elem.base().kind != iface {
			v = found.content().V
		}
		p.Elem().Set(reflect.ValueOf(v))
	})
}

// Is reports whether a value is a box.
func Is(v any) bool {
	_, ok := open(v).(boxed)
	return ok
}

// Plain returns the content of a box.
func Plain(v any) any {
	if b, ok := open(v).(boxed); ok {
		return b.content().V
	}
	return v
}

// Rune decodes the first character of a string behind an offset.
func (s *Space) Rune(text string, i int) (r rune, size int) { return utf8.DecodeRuneInString(text[i:]) }

// Keys returns the keys of a map in a slice.
func (s *Space) Keys(m any) any {
	v := reflect.ValueOf(m)
	out := reflect.MakeSlice(reflect.SliceOf(v.Type().Key()), 0, v.Len())
	return reflect.Append(out, v.MapKeys()...).Interface()
}

// Array converts a slice to the type that p points to: an array, or a pointer to one.
func (s *Space) Array(list, p any) any {
	t := reflect.TypeOf(p).Elem()
	n := t
	if t.Kind() == reflect.Pointer {
		n = t.Elem()
	}
	v := reflect.ValueOf(list)
	if v.Len() < n.Len() {
		panic(runtimeError(fmt.Sprintf("runtime error: cannot convert slice with length %d to array or pointer to array with length %d", v.Len(), n.Len())))
	}
	return v.Convert(t).Interface()
}

// Clear empties a map.
func (s *Space) Clear(m any) { reflect.ValueOf(m).Clear() }

var errMirror = errors.New("a value of this type cannot be encoded")
