package box

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"
)

// Reflected stands for reflect.Value in lowered source: a value of the interpreter with its type of the source. Package reflect itself
// would show what the interpreter makes of a type.
type Reflected struct {
	// v is the place or value as the interpreter has it, and t its type; nil for a type of compiled code.
	v reflect.Value
	t *Type
	// private is set if the value was reached through a field that is not exported. passing is set if the field is embedded: the exported
	// fields of its struct are not private.
	private, passing bool
}

// ReflectValueOf is reflect.ValueOf.
func (s *Space) ReflectValueOf(x any) Reflected {
	if b, ok := open(x).(boxed); ok {
		return Reflected{v: reflect.ValueOf(b.content().V), t: b.content().T}
	}
	return Reflected{v: reflect.ValueOf(x)}
}

// real returns the type for the own rules; nil for a type of compiled code.
func (t *Type) real() *Type {
	if t == nil || t.exact != nil && (t.kind == native || t.kind == iface) || t.isAny() {
		return nil
	}
	return t
}

// of returns a part of a value with its type.
func of(v reflect.Value, t *Type, private bool) Reflected {
	return Reflected{v: reach(v), t: t.real(), private: private}
}

// concrete returns the value itself where the interpreter has a place of type any for it.
func (r Reflected) concrete() reflect.Value {
	if r.t == nil || r.v.Kind() != reflect.Interface || r.t.base().kind == iface {
		return r.v
	}
	if r.v.IsNil() {
		return reflect.Zero(r.t.rawType())
	}
	return r.v.Elem()
}

// base returns what the type is made of; nil for a type of compiled code.
func (r Reflected) base() *Type {
	if r.t == nil {
		return nil
	}
	return r.t.base().real()
}

// IsValid is the method of reflect.Value.
func (r Reflected) IsValid() bool { return r.v.IsValid() }

// Kind is the method of reflect.Value.
func (r Reflected) Kind() reflect.Kind {
	if !r.v.IsValid() {
		return reflect.Invalid
	}
	if r.t == nil {
		return r.v.Kind()
	}
	return r.t.reflectKind()
}

// Type is the method of reflect.Value.
func (r Reflected) Type() reflect.Type {
	if !r.v.IsValid() {
		panic(&reflect.ValueError{Method: "reflect.Value.Type"})
	}
	if r.t == nil {
		return r.v.Type()
	}
	return r.t.asReflect()
}

// CanInterface is the method of reflect.Value.
func (r Reflected) CanInterface() bool {
	if !r.v.IsValid() {
		panic(&reflect.ValueError{Method: "reflect.Value.CanInterface"})
	}
	return !r.private && r.v.CanInterface()
}

// Interface is the method of reflect.Value.
func (r Reflected) Interface() any {
	if !r.v.IsValid() {
		panic(&reflect.ValueError{Method: "reflect.Value.Interface"})
	}
	if r.private {
		panic("reflect.Value.Interface: cannot return value obtained from unexported field or method")
	}
	return r.content()
}

// content is Interface for a value that may be private.
func (r Reflected) content() any {
	switch {
	case r.t == nil && r.v.Kind() == reflect.Interface, r.t != nil && r.t.base().kind == iface:
		if r.v.IsNil() {
			return nil
		}
		return open(reach(r.v).Interface())
	case r.t == nil:
		return reach(r.v).Interface()
	}
	return r.t.space.boxed(r.concrete().Interface(), r.t)
}

// Elem is the method of reflect.Value.
func (r Reflected) Elem() Reflected {
	switch r.Kind() {
	case reflect.Interface:
		if r.v.IsNil() {
			return Reflected{}
		}
		if b, ok := open(reach(r.v).Interface()).(boxed); ok {
			return Reflected{v: reflect.ValueOf(b.content().V), t: b.content().T, private: r.private}
		}
		return Reflected{v: r.v.Elem(), t: nil, private: r.private}
	case reflect.Pointer:
		v := r.concrete()
		if v.IsNil() {
			return Reflected{}
		}
		out := Reflected{v: v.Elem(), private: r.private}
		if b := r.base(); b != nil {
			out = of(v.Elem(), b.elem, r.private)
		}
		out.passing = r.passing
		return out
	default:
		panic(&reflect.ValueError{Method: "reflect.Value.Elem", Kind: r.Kind()})
	}
}

// NumField is the method of reflect.Value.
func (r Reflected) NumField() int {
	if b := r.base(); b != nil && b.kind == record {
		return len(b.fields)
	}
	return r.concrete().NumField()
}

// Field is the method of reflect.Value.
func (r Reflected) Field(i int) Reflected {
	b := r.base()
	if b == nil || b.kind != record {
		return Reflected{v: r.concrete().Field(i), t: nil, private: r.private}
	}
	if i < 0 || i >= len(b.fields) {
		panic("reflect: Field index out of range")
	}
	f := b.fields[i]
	inherited := r.private && !r.passing
	out := of(r.concrete().Field(i), f.typ, inherited || !f.exported)
	out.passing = !inherited && !f.exported && f.embedded
	return out
}

// FieldByIndex is the method of reflect.Value.
func (r Reflected) FieldByIndex(index []int) Reflected {
	out, err := r.FieldByIndexErr(index)
	if err != nil {
		panic(err.Error())
	}
	return out
}

// FieldByIndexErr is the method of reflect.Value.
func (r Reflected) FieldByIndexErr(index []int) (Reflected, error) {
	for n, i := range index {
		if n > 0 && r.Kind() == reflect.Pointer {
			if r.IsNil() {
				return Reflected{}, fmt.Errorf("reflect: indirection through nil pointer to embedded struct field %s", r.Type().Elem().Name())
			}
			r = r.Elem()
		}
		r = r.Field(i)
	}
	return r, nil
}

// FieldByName is the method of reflect.Value.
func (r Reflected) FieldByName(name string) Reflected {
	if f, ok := r.Type().FieldByName(name); ok {
		return r.FieldByIndex(f.Index)
	}
	return Reflected{}
}

// FieldByNameFunc is the method of reflect.Value.
func (r Reflected) FieldByNameFunc(match func(string) bool) Reflected {
	if f, ok := r.Type().FieldByNameFunc(match); ok {
		return r.FieldByIndex(f.Index)
	}
	return Reflected{}
}

// Fields is the method of reflect.Value.
func (r Reflected) Fields() iter.Seq2[reflect.StructField, Reflected] {
	return func(yield func(reflect.StructField, Reflected) bool) {
		for i := range r.NumField() {
			if !yield(r.Type().Field(i), r.Field(i)) {
				return
			}
		}
	}
}

// Index is the method of reflect.Value.
func (r Reflected) Index(i int) Reflected {
	v := r.concrete().Index(i)
	if b := r.base(); b != nil && b.elem != nil {
		return of(v, b.elem, r.private)
	}
	return Reflected{v: v, t: nil, private: r.private}
}

// Len is the method of reflect.Value.
func (r Reflected) Len() int { return r.concrete().Len() }

// Cap is the method of reflect.Value.
func (r Reflected) Cap() int { return r.concrete().Cap() }

// IsNil is the method of reflect.Value.
func (r Reflected) IsNil() bool { return r.concrete().IsNil() }

// IsZero is the method of reflect.Value.
func (r Reflected) IsZero() bool { return r.concrete().IsZero() }

// Bool is the method of reflect.Value.
func (r Reflected) Bool() bool { return r.concrete().Bool() }

// Int is the method of reflect.Value.
func (r Reflected) Int() int64 { return r.concrete().Int() }

// Uint is the method of reflect.Value.
func (r Reflected) Uint() uint64 { return r.concrete().Uint() }

// Float is the method of reflect.Value.
func (r Reflected) Float() float64 { return r.concrete().Float() }

// Complex is the method of reflect.Value.
func (r Reflected) Complex() complex128 { return r.concrete().Complex() }

// Bytes is the method of reflect.Value.
func (r Reflected) Bytes() []byte { return r.concrete().Bytes() }

// Pointer is the method of reflect.Value.
func (r Reflected) Pointer() uintptr { return r.concrete().Pointer() }

// UnsafePointer is the method of reflect.Value.
func (r Reflected) UnsafePointer() unsafe.Pointer { return r.concrete().UnsafePointer() }

// UnsafeAddr is the method of reflect.Value.
func (r Reflected) UnsafeAddr() uintptr { return r.concrete().UnsafeAddr() }

// InterfaceData is the method of reflect.Value.
//
//nolint:staticcheck // the source may call it
func (r Reflected) InterfaceData() [2]uintptr { return r.concrete().InterfaceData() }

// CanInt is the method of reflect.Value.
func (r Reflected) CanInt() bool { return r.concrete().CanInt() }

// CanUint is the method of reflect.Value.
func (r Reflected) CanUint() bool { return r.concrete().CanUint() }

// CanFloat is the method of reflect.Value.
func (r Reflected) CanFloat() bool { return r.concrete().CanFloat() }

// CanComplex is the method of reflect.Value.
func (r Reflected) CanComplex() bool { return r.concrete().CanComplex() }

// OverflowInt is the method of reflect.Value.
func (r Reflected) OverflowInt(x int64) bool { return r.concrete().OverflowInt(x) }

// OverflowUint is the method of reflect.Value.
func (r Reflected) OverflowUint(x uint64) bool { return r.concrete().OverflowUint(x) }

// OverflowFloat is the method of reflect.Value.
func (r Reflected) OverflowFloat(x float64) bool { return r.concrete().OverflowFloat(x) }

// OverflowComplex is the method of reflect.Value.
func (r Reflected) OverflowComplex(x complex128) bool { return r.concrete().OverflowComplex(x) }

// String is the method of reflect.Value.
func (r Reflected) String() string {
	switch r.Kind() {
	case reflect.Invalid:
		return "<invalid Value>"
	case reflect.String:
		return r.concrete().String()
	default:
		return "<" + r.Type().String() + " Value>"
	}
}

// Format prints what the value holds, as package fmt does for a reflect.Value.
func (r Reflected) Format(state fmt.State, verb rune) {
	if !r.v.IsValid() {
		_, _ = fmt.Fprint(state, "<invalid reflect.Value>")
		return
	}
	_, _ = fmt.Fprintf(state, fmt.FormatString(state, verb), r.content())
}

// CanAddr is the method of reflect.Value.
func (r Reflected) CanAddr() bool { return r.v.CanAddr() }

// CanSet is the method of reflect.Value.
func (r Reflected) CanSet() bool { return !r.private && r.v.CanAddr() && (r.t != nil || r.v.CanSet()) }

// Addr is the method of reflect.Value.
func (r Reflected) Addr() Reflected {
	if r.t == nil {
		return Reflected{v: r.v.Addr(), t: nil, private: r.private}
	}
	if r.v.Kind() == reflect.Interface && r.t.base().kind != iface {
		panic(fmt.Sprintf("reflect: the address of a field of type %s cannot be taken by the interpreter", r.t))
	}
	return Reflected{v: r.v.Addr(), t: r.t.pointerTo(), private: r.private}
}

// Comparable is the method of reflect.Value.
func (r Reflected) Comparable() bool {
	if r.Kind() == reflect.Interface {
		return r.v.IsNil() || r.Elem().Comparable()
	}
	return !r.v.IsValid() || r.concrete().Comparable()
}

// Equal is the method of reflect.Value.
func (r Reflected) Equal(u Reflected) bool {
	for r.Kind() == reflect.Interface {
		r = r.Elem()
	}
	for u.Kind() == reflect.Interface {
		u = u.Elem()
	}
	if !r.IsValid() || !u.IsValid() {
		return r.IsValid() == u.IsValid()
	}
	return r.Type() == u.Type() && r.concrete().Equal(u.concrete())
}
