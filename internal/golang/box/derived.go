package box

import (
	"fmt"
	"reflect"
)

// derivation identifies a type that is made of others.
type derivation struct {
	kind      byte
	elem, key *Type
	// size is the length of an array.
	size int
}

// derived returns the type that is made of others: one that the source describes, or a new one.
func (s *Space) derived(d derivation, name string) *Type {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.derivations[d]; t != nil {
		return t
	}
	t := &Type{id: -len(s.derivations) - 1, space: s, kind: d.kind, elem: d.elem, key: d.key, size: d.size, name: name, methods: map[string]method{}}
	s.types[t.id], s.derivations[d] = t, t
	return t
}

func (t *Type) pointerTo() *Type {
	return t.space.derived(derivation{kind: pointer, elem: t}, "*"+t.name)
}

func (t *Type) sliceOf() *Type { return t.space.derived(derivation{kind: slice, elem: t}, "[]"+t.name) }

func (t *Type) arrayOf(n int) *Type {
	return t.space.derived(derivation{kind: array, elem: t, size: n}, fmt.Sprintf("[%d]%s", n, t.name))
}

// exactly returns the description of a type of compiled code.
func (s *Space) exactly(t reflect.Type) *Type {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.exacts[t]; known != nil {
		return known
	}
	out := &Type{id: -1_000_000 - len(s.exacts), space: s, kind: native, name: t.String(), exact: t, methods: map[string]method{}}
	if t.Kind() == reflect.Interface {
		out.kind, out.wanted, out.wrapper = iface, map[string]string{}, s.wrapper(t)
		for m := range t.Methods() {
			out.wanted[m.Name] = m.Type.String()
		}
	}
	s.types[out.id], s.exacts[t] = out, out
	return out
}

// typeOf returns the description of any type.
func (s *Space) typeOf(t reflect.Type) *Type {
	if own, ok := t.(*shown); ok {
		return own.t
	}
	return s.exactly(t)
}

// ownType returns the type of the source, or nil, and what the interpreter has for it.
func ownType(t reflect.Type) (*Type, reflect.Type) {
	if own, ok := t.(*shown); ok {
		return own.t, own.t.rawType()
	}
	return nil, t
}

// rawType returns what the interpreter has for a type.
func (t *Type) rawType() reflect.Type {
	switch {
	case t.raw != nil:
		return t.raw
	case t.exact != nil:
		return t.exact
	case t.hidden != nil:
		return t.hidden
	case t.reflected != nil && t.reflected.Type != nil:
		return t.reflected.Type
	}
	switch t.kind {
	case defined:
		return t.elem.rawType()
	case pointer:
		return reflect.PointerTo(t.elem.rawType())
	case slice:
		return reflect.SliceOf(t.elem.rawType())
	case array:
		return reflect.ArrayOf(t.size, t.elem.rawType())
	case mapping:
		return reflect.MapOf(t.key.rawType(), t.elem.rawType())
	case iface:
		return anyType
	}
	panic(fmt.Sprintf("package reflect cannot make values of the type %s, which is interpreted", t))
}

// reflectKind returns the kind of a type.
func (t *Type) reflectKind() reflect.Kind {
	switch b := t.base(); b.kind {
	case pointer:
		return reflect.Pointer
	case slice:
		return reflect.Slice
	case array:
		return reflect.Array
	case mapping:
		return reflect.Map
	case record:
		return reflect.Struct
	case iface:
		return reflect.Interface
	default:
		return b.rawType().Kind()
	}
}

// allMethods returns the methods of a type. A pointer to a type whose pointer type is not described has those of the type.
func (t *Type) allMethods() map[string]method {
	if t.kind != pointer || len(t.methods) > 0 {
		return t.methods
	}
	if t.elem.pointer != nil {
		return t.elem.pointer.methods
	}
	out := map[string]method{}
	if t.elem.kind == pointer || t.elem.base().kind == iface {
		return out
	}
	for name, m := range t.elem.methods {
		bind := m.bind
		m.bind = func(p any) any { return bind(reflect.ValueOf(p).Elem().Interface()) }
		out[name] = m
	}
	return out
}

// signatureOf returns the type of a method without its receiver; nil if it consists of types of compiled code.
func (t *Type) signatureOf(m method) *Type { return m.typ.real() }

// function returns a function type.
func (s *Space) function(in, out []*Type, variadic bool, raw reflect.Type) *Type {
	t := &Type{space: s, kind: other, in: in, out: out, variadic: variadic, raw: raw, methods: map[string]method{}}
	t.name = "func("
	for i, p := range in {
		if i > 0 {
			t.name += ", "
		}
		if variadic && i == len(in)-1 {
			t.name += "..." + p.name[len("[]"):]
			continue
		}
		t.name += p.name
	}
	t.name += ")"
	for i, r := range out {
		switch {
		case len(out) == 1:
			t.name += " " + r.name
		case i == 0:
			t.name += " (" + r.name
		default:
			t.name += ", " + r.name
		}
	}
	if len(out) > 1 {
		t.name += ")"
	}
	return t
}

// whole returns the type of a method with its receiver as the first parameter.
func (t *Type) whole(m method) *Type {
	if m.typ == nil {
		panic(fmt.Sprintf("package reflect does not know the methods of the type %s, which is interpreted", t))
	}
	sig := m.typ.base()
	in, out, variadic := sig.in, sig.out, sig.variadic
	raw := m.typ.rawType()
	if m.typ.exact != nil {
		in, out, variadic = nil, nil, raw.IsVariadic()
		for p := range raw.Ins() {
			in = append(in, t.space.exactly(p))
		}
		for r := range raw.Outs() {
			out = append(out, t.space.exactly(r))
		}
	}
	ins := []reflect.Type{t.rawType()}
	for p := range raw.Ins() {
		ins = append(ins, p)
	}
	var outs []reflect.Type
	for r := range raw.Outs() {
		outs = append(outs, r)
	}
	return t.space.function(append([]*Type{t}, in...), out, variadic, reflect.FuncOf(ins, outs, raw.IsVariadic()))
}

// methodType returns the type of a method as a reflect.Type shows it; nil if it is not known.
func (t *Type) methodType(name string) reflect.Type {
	if m := t.allMethods()[name]; m.typ != nil {
		return t.whole(m).asReflect()
	}
	return nil
}

// assignable reports whether values of one type can be assigned to places of another.
func assignable(from, to reflect.Type) bool {
	f, ownFrom := from.(*shown)
	t, ownTo := to.(*shown)
	switch {
	case from == to:
		return true
	case !ownFrom && !ownTo:
		return from.AssignableTo(to)
	case to.Kind() == reflect.Interface:
		return implements(from, to)
	case from.Kind() != to.Kind() || from.Name() != "" && to.Name() != "":
		return false
	case ownFrom && ownTo:
		return f.t.base().name == t.t.base().name
	case ownFrom:
		return f.t.base().exact == to
	default:
		return t.t.base().exact == from
	}
}

// convertible reports whether values of one type can be converted to another.
func convertible(from, to reflect.Type) bool {
	if assignable(from, to) {
		return true
	}
	_, rawFrom := ownType(from)
	_, rawTo := ownType(to)
	if to.Kind() == reflect.Interface || from.Kind() == reflect.Interface {
		return to.Kind() == reflect.Interface && implements(from, to)
	}
	return rawFrom.ConvertibleTo(rawTo)
}
