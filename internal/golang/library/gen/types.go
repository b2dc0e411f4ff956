package main

import (
	"go/token"
	"go/types"
)

// typ renders a type and queues the declarations of the named types in it.
func (d *declarer) typ(t types.Type) string {
	d.walk(t, map[types.Type]bool{})
	return types.TypeString(t, func(p *types.Package) string {
		if p == d.pkg {
			return ""
		}
		d.imports[p.Path()] = true
		return alias(p.Path())
	})
}

// walk visits all named types that the text of t mentions.
func (d *declarer) walk(t types.Type, seen map[types.Type]bool) {
	if t == nil || seen[t] {
		return
	}
	seen[t] = true
	each := func(list ...types.Type) {
		for _, t := range list {
			d.walk(t, seen)
		}
	}
	switch t := t.(type) {
	case *types.Named:
		d.want(t.Obj())
		for a := range t.TypeArgs().Types() {
			each(a)
		}
	case *types.Alias:
		d.want(t.Obj())
		for a := range t.TypeArgs().Types() {
			each(a)
		}
	case *types.Pointer:
		each(t.Elem())
	case *types.Slice:
		each(t.Elem())
	case *types.Array:
		each(t.Elem())
	case *types.Chan:
		each(t.Elem())
	case *types.Map:
		each(t.Key(), t.Elem())
	case *types.Signature:
		for v := range t.Params().Variables() {
			each(v.Type())
		}
		for v := range t.Results().Variables() {
			each(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			each(f.Type())
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			each(m.Type())
		}
		for e := range t.EmbeddedTypes() {
			each(e)
		}
	case *types.Union:
		for term := range t.Terms() {
			each(term.Type())
		}
	}
}

// trim removes what other packages cannot name: unexported fields and the types of unexported methods. The result is
// comparable, implementable and assignable in the same way as the original type.
func trim(t types.Type) types.Type {
	switch t := t.(type) {
	case *types.Struct:
		return trimStruct(t)
	case *types.Interface:
		return trimInterface(t)
	default:
		return t
	}
}

func trimStruct(t *types.Struct) types.Type {
	var fields []*types.Var
	var tags []string
	hidden := false
	for f := range t.Fields() {
		if f.Exported() || f.Embedded() && promotes(f.Type()) {
			fields = append(fields, f)
			tags = append(tags, "")
			continue
		}
		hidden = true
	}
	if hidden {
		var filler types.Type = types.Typ[types.Int]
		if !types.Comparable(t) {
			filler = types.NewSignatureType(nil, nil, nil, nil, nil, false)
		}
		fields = append(fields, types.NewField(token.NoPos, nil, "_", filler, false))
		tags = append(tags, "")
	}
	return types.NewStruct(fields, tags)
}

// promotes reports whether embedding a type promotes any exported field or method.
func promotes(t types.Type) bool {
	set := types.NewMethodSet(types.NewPointer(deref(t)))
	for m := range set.Methods() {
		if m.Obj().Exported() || sealing(m.Obj().Pkg(), m.Obj().Name()) {
			return true
		}
	}
	if s, ok := deref(t).Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			if f.Exported() || f.Embedded() && promotes(f.Type()) {
				return true
			}
		}
	}
	return types.IsInterface(t)
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func trimInterface(t *types.Interface) types.Type {
	var methods []*types.Func
	var embedded []types.Type
	for m := range t.ExplicitMethods() {
		if !m.Exported() {
			m = types.NewFunc(token.NoPos, m.Pkg(), m.Name(), types.NewSignatureType(nil, nil, nil, nil, nil, false))
		}
		methods = append(methods, m)
	}
	for e := range t.EmbeddedTypes() {
		embedded = append(embedded, e)
	}
	return types.NewInterfaceType(methods, embedded).Complete()
}
