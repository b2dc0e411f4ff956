package box

import (
	"iter"
	"reflect"
	"unsafe"
)

// into returns the value as the interpreter, or compiled code, has it in a place of the type to.
func (r Reflected) into(to reflect.Type, t *Type, what string) reflect.Value {
	if !r.v.IsValid() {
		panic(what + " using zero Value argument")
	}
	target := to
	if t != nil {
		target = t.asReflect()
	}
	if !assignable(r.Type(), target) {
		panic(what + ": value of type " + r.Type().String() + " is not assignable to type " + target.String())
	}
	var out reflect.Value
	switch {
	case t != nil && t.base().kind != iface && to.Kind() == reflect.Interface: // the interpreter has any for it
		out = reflect.New(to).Elem()
		if v := r.concrete(); !v.IsZero() {
			out.Set(v)
		}
		return out
	case to.Kind() == reflect.Interface:
		out = reflect.New(to).Elem()
		x := r.content()
		if b, ok := x.(boxed); ok && to.NumMethod() > 0 {
			x = b.content().T.space.asInterface(x, to)
		}
		if x != nil {
			out.Set(reflect.ValueOf(x))
		}
		return out
	}
	out = r.concrete()
	if out.Type() != to && !out.Type().AssignableTo(to) {
		return out.Convert(to)
	}
	return out
}

// asInterface returns a box as a value of an interface type of compiled code.
func (s *Space) asInterface(x any, to reflect.Type) any {
	if reflect.TypeOf(x).Implements(to) && to == reflect.TypeFor[error]() {
		return x
	}
	return s.To(x, s.exactly(to).id)
}

func (r Reflected) mustSet(method string) {
	if r.CanSet() {
		return
	}
	if r.private {
		panic("reflect: reflect.Value." + method + " using value obtained using unexported field")
	}
	panic("reflect: reflect.Value." + method + " using unaddressable value")
}

// Set is the method of reflect.Value.
func (r Reflected) Set(x Reflected) {
	r.mustSet("Set")
	r.v.Set(x.into(r.v.Type(), r.t, "reflect.Set"))
}

// change sets a place by way of a copy, which a place of type any needs.
func (r Reflected) change(method string, set func(reflect.Value)) {
	r.mustSet(method)
	v := r.concrete()
	if v.CanSet() {
		set(v)
		return
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	set(c)
	if c.IsZero() {
		r.v.SetZero()
		return
	}
	r.v.Set(c)
}

// SetBool is the method of reflect.Value.
func (r Reflected) SetBool(x bool) { r.change("SetBool", func(v reflect.Value) { v.SetBool(x) }) }

// SetInt is the method of reflect.Value.
func (r Reflected) SetInt(x int64) { r.change("SetInt", func(v reflect.Value) { v.SetInt(x) }) }

// SetUint is the method of reflect.Value.
func (r Reflected) SetUint(x uint64) { r.change("SetUint", func(v reflect.Value) { v.SetUint(x) }) }

// SetFloat is the method of reflect.Value.
func (r Reflected) SetFloat(x float64) { r.change("SetFloat", func(v reflect.Value) { v.SetFloat(x) }) }

// SetComplex is the method of reflect.Value.
func (r Reflected) SetComplex(x complex128) {
	r.change("SetComplex", func(v reflect.Value) { v.SetComplex(x) })
}

// SetString is the method of reflect.Value.
func (r Reflected) SetString(x string) {
	r.change("SetString", func(v reflect.Value) { v.SetString(x) })
}

// SetBytes is the method of reflect.Value.
func (r Reflected) SetBytes(x []byte) { r.change("SetBytes", func(v reflect.Value) { v.SetBytes(x) }) }

// SetPointer is the method of reflect.Value.
func (r Reflected) SetPointer(x unsafe.Pointer) {
	r.change("SetPointer", func(v reflect.Value) { v.SetPointer(x) })
}

// SetLen is the method of reflect.Value.
func (r Reflected) SetLen(n int) { r.change("SetLen", func(v reflect.Value) { v.SetLen(n) }) }

// SetCap is the method of reflect.Value.
func (r Reflected) SetCap(n int) { r.change("SetCap", func(v reflect.Value) { v.SetCap(n) }) }

// Grow is the method of reflect.Value.
func (r Reflected) Grow(n int) { r.change("Grow", func(v reflect.Value) { v.Grow(n) }) }

// SetZero is the method of reflect.Value.
func (r Reflected) SetZero() {
	r.mustSet("SetZero")
	r.v.SetZero()
}

// Clear is the method of reflect.Value.
func (r Reflected) Clear() { r.concrete().Clear() }

// keyTypes returns the types of the source of keys and elements; nil for those of compiled code.
func (r Reflected) keyTypes() (key, elem *Type) {
	if b := r.base(); b != nil && b.kind == mapping {
		return b.key.real(), b.elem.real()
	}
	return nil, nil
}

// MapIndex is the method of reflect.Value.
func (r Reflected) MapIndex(key Reflected) Reflected {
	m := r.concrete()
	k, e := r.keyTypes()
	x := m.MapIndex(key.into(m.Type().Key(), k, "reflect.Value.MapIndex"))
	if !x.IsValid() {
		return Reflected{}
	}
	return of(x, e, r.private || key.private)
}

// MapKeys is the method of reflect.Value.
func (r Reflected) MapKeys() []Reflected {
	k, _ := r.keyTypes()
	keys := r.concrete().MapKeys()
	out := make([]Reflected, len(keys))
	for i, x := range keys {
		out[i] = of(x, k, r.private)
	}
	return out
}

// SetMapIndex is the method of reflect.Value.
func (r Reflected) SetMapIndex(key, elem Reflected) {
	m := r.concrete()
	k, e := r.keyTypes()
	at := key.into(m.Type().Key(), k, "reflect.Value.SetMapIndex")
	if !elem.v.IsValid() {
		m.SetMapIndex(at, reflect.Value{})
		return
	}
	m.SetMapIndex(at, elem.into(m.Type().Elem(), e, "reflect.Value.SetMapIndex"))
}

// ReflectedIter stands for reflect.MapIter.
type ReflectedIter struct {
	over Reflected
	each *reflect.MapIter
}

// MapRange is the method of reflect.Value.
func (r Reflected) MapRange() *ReflectedIter { return &ReflectedIter{r, r.concrete().MapRange()} }

// Next is the method of reflect.MapIter.
func (i *ReflectedIter) Next() bool { return i.each.Next() }

// Key is the method of reflect.MapIter.
func (i *ReflectedIter) Key() Reflected {
	k, _ := i.over.keyTypes()
	return of(i.each.Key(), k, i.over.private)
}

// Value is the method of reflect.MapIter.
func (i *ReflectedIter) Value() Reflected {
	_, e := i.over.keyTypes()
	return of(i.each.Value(), e, i.over.private)
}

// Reset is the method of reflect.MapIter.
func (i *ReflectedIter) Reset(r Reflected) { i.over, i.each = r, r.concrete().MapRange() }

// SetIterKey is the method of reflect.Value.
func (r Reflected) SetIterKey(i *ReflectedIter) { r.Set(i.Key()) }

// SetIterValue is the method of reflect.Value.
func (r Reflected) SetIterValue(i *ReflectedIter) { r.Set(i.Value()) }

// Slice is the method of reflect.Value.
func (r Reflected) Slice(i, j int) Reflected {
	t := r.t
	if b := r.base(); b != nil && b.kind == array {
		t = b.elem.sliceOf()
	}
	return Reflected{v: r.concrete().Slice(i, j), t: t, private: r.private}
}

// Slice3 is the method of reflect.Value.
func (r Reflected) Slice3(i, j, k int) Reflected {
	t := r.t
	if b := r.base(); b != nil && b.kind == array {
		t = b.elem.sliceOf()
	}
	return Reflected{v: r.concrete().Slice3(i, j, k), t: t, private: r.private}
}

// Seq2 is the method of reflect.Value.
func (r Reflected) Seq2() iter.Seq2[Reflected, Reflected] {
	return func(yield func(Reflected, Reflected) bool) {
		switch r.Kind() {
		case reflect.Map:
			for each := r.MapRange(); each.Next(); {
				if !yield(each.Key(), each.Value()) {
					return
				}
			}
		case reflect.Pointer:
			r.Elem().Seq2()(yield)
		case reflect.Slice, reflect.Array:
			for i := range r.Len() {
				if !yield(Reflected{v: reflect.ValueOf(i)}, r.Index(i)) {
					return
				}
			}
		default:
			for k, v := range r.concrete().Seq2() {
				if !yield(Reflected{v: k}, Reflected{v: v}) {
					return
				}
			}
		}
	}
}

// Seq is the method of reflect.Value.
func (r Reflected) Seq() iter.Seq[Reflected] {
	return func(yield func(Reflected) bool) {
		if r.Kind() == reflect.Map {
			for each := r.MapRange(); each.Next(); {
				if !yield(each.Key()) {
					return
				}
			}
			return
		}
		var elem *Type
		if r.Kind() == reflect.Chan {
			elem = r.element()
		}
		for x := range r.concrete().Seq() {
			if !yield(Reflected{v: x, t: elem}) {
				return
			}
		}
	}
}

// element returns the type of a channel's elements, or nil if it is one of compiled code.
func (r Reflected) element() *Type {
	if b := r.base(); b != nil && b.elem != nil {
		return b.elem.real()
	}
	return nil
}

// Close is the method of reflect.Value.
func (r Reflected) Close() { r.concrete().Close() }

// Send is the method of reflect.Value.
func (r Reflected) Send(x Reflected) {
	r.concrete().Send(x.into(r.concrete().Type().Elem(), r.element(), "reflect.Value.Send"))
}

// TrySend is the method of reflect.Value.
func (r Reflected) TrySend(x Reflected) bool {
	return r.concrete().TrySend(x.into(r.concrete().Type().Elem(), r.element(), "reflect.Value.TrySend"))
}

// Recv is the method of reflect.Value.
func (r Reflected) Recv() (Reflected, bool) {
	x, ok := r.concrete().Recv()
	return Reflected{v: x, t: r.element()}, ok
}

// TryRecv is the method of reflect.Value.
func (r Reflected) TryRecv() (Reflected, bool) {
	x, ok := r.concrete().TryRecv()
	return Reflected{v: x, t: r.element()}, ok
}
