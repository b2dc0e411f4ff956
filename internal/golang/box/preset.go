package box

import (
	"encoding/json"
	"reflect"
	"sync"
)

// wanted is what package json decodes into for an interface with methods. It decodes only into a pointer that is there already.
type wanted interface{ present() }

var wantedType = reflect.TypeFor[wanted]()

// held stands for a pointer that an interface holds, and kept for any other value.
type (
	held struct{ decode func(text []byte) error }
	kept struct{ value any }
)

func (h *held) present() {}
func (k kept) present()  {}

// UnmarshalJSON decodes into what the pointer refers to.
func (h *held) UnmarshalJSON(text []byte) error { return h.decode(text) }

// preset returns the value of a model for an interface that holds a value: a decoder decodes into the pointers that it finds.
func preset(v reflect.Value) any {
	inside := open(v.Interface())
	if b, ok := inside.(boxed); ok {
		c := b.content()
		p, r := c.T.base(), reflect.ValueOf(c.V)
		if p.kind == pointer && r.Kind() == reflect.Pointer && !r.IsNil() {
			return &held{func(text []byte) error {
				return fill(p.elem, r.Elem(), func(to any) error { return json.Unmarshal(text, to) })
			}}
		}
		return kept{inside}
	}
	if r := reflect.ValueOf(inside); r.Kind() == reflect.Pointer && !r.IsNil() {
		return &held{func(text []byte) error { return json.Unmarshal(text, inside) }}
	}
	return kept{inside}
}

// storeInterface is store for an interface.
func storeInterface(v, m reflect.Value) {
	if m.IsNil() {
		v.SetZero()
		return
	}
	switch m.Interface().(type) {
	case *held, kept:
	default:
		if m.Elem().Type().AssignableTo(v.Type()) {
			v.Set(m.Elem())
		}
	}
}

// holding returns the description of a type of compiled code that consists of interfaces, or nil. A type with a name may have methods; it
// is described if named is set.
func holding(t reflect.Type, named bool) *Type {
	switch {
	case t.Kind() == reflect.Interface:
		out := &Type{kind: iface, name: t.String(), wanted: map[string]string{}}
		for m := range t.Methods() {
			out.wanted[m.Name] = m.Type.String()
		}
		return out
	case t.Name() != "" && (!named || t.Kind() == reflect.Struct):
		return nil
	case t.Kind() == reflect.Struct:
		return holdingFields(t, named)
	}
	kinds := map[reflect.Kind]byte{reflect.Slice: slice, reflect.Array: array, reflect.Map: mapping, reflect.Pointer: pointer}
	kind, ok := kinds[t.Kind()]
	if !ok {
		return nil
	}
	elem := holding(t.Elem(), named)
	if elem == nil {
		return nil
	}
	out := &Type{kind: kind, name: t.String(), elem: elem}
	if kind == mapping {
		out.key = holding(t.Key(), named)
		if out.key == nil {
			out.key = &Type{kind: native, name: t.Key().String(), exact: t.Key()}
		}
	}
	return out
}

// holdingFields is holding for a struct.
func holdingFields(t reflect.Type, named bool) *Type {
	out := &Type{kind: record, name: t.String()}
	found := false
	for f := range t.Fields() {
		in := holding(f.Type, named)
		if found = found || in != nil; in == nil {
			in = &Type{kind: native, name: f.Type.String(), exact: f.Type}
		}
		out.fields = append(out.fields, field{name: f.Name, exported: f.IsExported(), embedded: f.Anonymous, tag: f.Tag, typ: in})
	}
	if !found {
		return nil
	}
	return out
}

// parts is base. It also takes types of compiled code apart that consist of interfaces.
func (t *Type) parts() *Type {
	b := t.base()
	if b != nil && b.kind == native && b.exact != nil {
		if out := holding(b.exact, false); out != nil && out.kind != array {
			return out
		}
	}
	return b
}

// target returns what a type points to, or the type itself.
func (t *Type) target() *Type {
	if b := t.base(); b.kind == pointer {
		return b.elem
	}
	return t
}

// structural reports whether a field is a struct, or points to one.
func (f field) structural() bool { return f.inside().target().base().kind == record }

// inside returns the type of a field. It takes embedded structs of compiled code apart, whose fields count as those of the struct around them.
func (f field) inside() *Type {
	if b := f.typ; f.embedded && b.kind == native && b.exact != nil {
		return apart(b)
	}
	return f.typ
}

// decoded returns the type of a field that package json decodes into.
func (f field) decoded() *Type {
	if f.flat() {
		return f.inside()
	}
	return f.typ
}

// structs caches the descriptions of structs of compiled code, so that each has one.
var structs sync.Map

// apart describes a struct of compiled code, or a pointer to one. Other types are returned as they are.
func apart(t *Type) *Type {
	switch {
	case t.exact.Kind() == reflect.Struct:
		if known, ok := structs.Load(t.exact); ok {
			return known.(*Type) //nolint:forcetypeassert // see below
		}
		out := &Type{kind: record, name: t.name, short: t.exact.Name(), exact: t.exact}
		for f := range t.exact.Fields() {
			in := &Type{kind: native, name: f.Type.String(), exact: f.Type}
			out.fields = append(out.fields, field{name: f.Name, exported: f.IsExported(), embedded: f.Anonymous, tag: f.Tag, typ: in})
		}
		known, _ := structs.LoadOrStore(t.exact, out)
		return known.(*Type) //nolint:forcetypeassert // see above
	case t.exact.Kind() == reflect.Pointer && t.exact.Elem().Kind() == reflect.Struct:
		elem := &Type{kind: native, name: t.exact.Elem().String(), exact: t.exact.Elem()}
		return &Type{kind: pointer, name: t.name, elem: apart(elem), exact: t.exact}
	}
	return t
}

// encoded reports whether package json takes a field: it looks into embedded structs even if their types are not exported.
func (f field) encoded() bool { return f.exported || f.embedded && f.structural() }
