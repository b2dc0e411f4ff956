package box

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// interpreted reports whether a type is one of the source.
func interpreted(t reflect.Type) bool {
	own, _ := ownType(t)
	return own != nil
}

// both returns descriptions of types, and what the interpreter has for them.
func (s *Space) both(list []reflect.Type) (own []*Type, raw []reflect.Type) {
	for _, t := range list {
		_, r := ownType(t)
		own, raw = append(own, s.typeOf(t)), append(raw, r)
	}
	return own, raw
}

// known returns the type that equals t, so that types can be compared: one that the source describes or that was made before, or t.
func (s *Space) known(t *Type, equal func(*Type) bool) *Type {
	s.mu.RLock()
	var found []*Type
	for _, u := range s.types {
		if u.kind == t.kind && u.raw != nil && u.name == t.name && u.variadic == t.variadic {
			found = append(found, u)
		}
	}
	s.mu.RUnlock()
	for _, u := range found {
		if equal(u) {
			return u
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t.id, t.space, t.methods = -2_000_000-len(s.types), s, map[string]method{}
	s.types[t.id] = t
	return t
}

func sameType(a, b *Type) bool { return a.asReflect() == b.asReflect() }

// reflectFuncOf is reflect.FuncOf. Functions of the source have a list for variadic parameters.
func (s *Space) reflectFuncOf(in, out []reflect.Type, variadic bool) reflect.Type {
	if !slices.ContainsFunc(in, interpreted) && !slices.ContainsFunc(out, interpreted) {
		return reflect.FuncOf(in, out, variadic)
	}
	ins, rawIn := s.both(in)
	outs, rawOut := s.both(out)
	t := s.function(ins, outs, variadic, reflect.FuncOf(rawIn, rawOut, false))
	return s.known(t, func(u *Type) bool {
		return u.elem == nil && slices.EqualFunc(u.in, t.in, sameType) && slices.EqualFunc(u.out, t.out, sameType)
	}).asReflect()
}

// reflectChanOf is reflect.ChanOf.
func (s *Space) reflectChanOf(dir reflect.ChanDir, elem reflect.Type) reflect.Type {
	own, raw := ownType(elem)
	if own == nil {
		return reflect.ChanOf(dir, elem)
	}
	t := &Type{kind: other, elem: own, name: dir.String() + " " + own.name, raw: reflect.ChanOf(dir, raw)}
	return s.known(t, func(u *Type) bool { return u.elem == own && u.raw == t.raw }).asReflect()
}

// reflectStructOf is reflect.StructOf.
func (s *Space) reflectStructOf(fields []reflect.StructField) reflect.Type {
	if !slices.ContainsFunc(fields, func(f reflect.StructField) bool { return interpreted(f.Type) }) {
		return reflect.StructOf(fields)
	}
	t := &Type{kind: record}
	raw := slices.Clone(fields)
	var names []string
	for i, f := range fields {
		own := s.typeOf(f.Type)
		_, raw[i].Type = ownType(f.Type)
		raw[i].Anonymous = false // Package reflect makes no struct that has methods of its fields.
		t.fields = append(t.fields, field{name: f.Name, exported: f.IsExported(), embedded: f.Anonymous, path: f.PkgPath, tag: f.Tag, typ: own})
		name := own.name
		if !f.Anonymous {
			name = f.Name + " " + name
		}
		if f.Tag != "" {
			name += " " + strconv.Quote(string(f.Tag))
		}
		names = append(names, name)
	}
	t.name, t.raw = "struct { "+strings.Join(names, "; ")+" }", reflect.StructOf(raw)
	return s.known(t, func(u *Type) bool {
		return slices.EqualFunc(u.fields, t.fields, func(a, b field) bool {
			return a.name == b.name && a.embedded == b.embedded && a.tag == b.tag && a.path == b.path && sameType(a.typ, b.typ)
		})
	}).asReflect()
}
