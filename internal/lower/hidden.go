package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// hiddenField reports whether the interpreter must see a field as any: it holds functions whose types lead back to the struct.
// The interpreter has no such types.
func (p *program) hiddenField(s *types.Struct, i int) bool {
	key := fmt.Sprintf("hidden %p %d", s, i)
	known, ok := p.shapes[key]
	if !ok {
		known = p.leadsBack(s.Field(i).Type(), s, false, map[types.Type]bool{})
		p.shapes[key] = known
	}
	return known
}

func (p *program) leadsBack(t types.Type, s *types.Struct, function bool, seen map[types.Type]bool) bool { //nolint:gocognit // one case after the other
	again := func(t types.Type) bool { return p.leadsBack(t, s, function, seen) }
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !p.own(t) || isInterface(t) || seen[t] {
			return false
		}
		seen[t] = true
		u, isStruct := t.Underlying().(*types.Struct)
		if !isStruct {
			return again(t.Underlying())
		}
		if !function {
			return false
		}
		if u == s {
			return true
		}
		return again(u)
	case *types.Pointer:
		return again(t.Elem())
	case *types.Slice:
		return again(t.Elem())
	case *types.Array:
		return again(t.Elem())
	case *types.Chan:
		return again(t.Elem())
	case *types.Map:
		return again(t.Key()) || again(t.Elem())
	case *types.Struct:
		if t == s {
			return function
		}
		for f := range t.Fields() {
			if again(f.Type()) {
				return true
			}
		}
	case *types.Signature:
		for _, list := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range list.Variables() {
				if p.leadsBack(v.Type(), s, true, seen) {
					return true
				}
			}
		}
	}
	return false
}

// hiddenPlace reports whether an expression is a hidden field.
func (f *fn) hiddenPlace(l ast.Expr) bool {
	sel, ok := ast.Unparen(l).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	s := f.info.Selections[sel]
	if s == nil || s.Kind() != types.FieldVal {
		return false
	}
	index := s.Index()
	_, t := f.rawPath("", f.typeOf(sel.X), index[:len(index)-1])
	return f.hiddenField(structOf(t), index[len(index)-1])
}

// store returns the value x as it is assigned to l.
func (f *fn) store(l ast.Expr, x string) string {
	if !f.hiddenPlace(l) || x == "nil" {
		return x
	}
	return f.hide(x, f.leftType(l), l.Pos())
}

// clear returns the content of a hidden field.
func (f *fn) clearField(x string, t types.Type, at token.Pos) string {
	name := f.typ(t, at)
	return f.helper("clear "+name, func() string {
		return fmt.Sprintf("(x any) (v %s) { if x != nil { v = x.(%[1]s) }; return v }", name)
	}) + "(" + x + ")"
}

func structOf(t types.Type) *types.Struct {
	u := t.Underlying()
	if p, ok := u.(*types.Pointer); ok {
		u = p.Elem().Underlying()
	}
	s, _ := u.(*types.Struct)
	return s
}
