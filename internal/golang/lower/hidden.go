package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// hiddenField reports whether the interpreter must see a field as any: it holds functions whose types lead back to the struct, or
// refers to another struct that holds this one. The interpreter has no such types.
func (p *program) hiddenField(s *types.Struct, i int) bool {
	key := fmt.Sprintf("hidden %p %d", s, i)
	known, ok := p.shapes[key]
	if !ok {
		t := s.Field(i).Type()
		known = p.leadsBack(t, s, false, map[types.Type]bool{}) || p.entangled(t, s, false, map[types.Type]bool{})
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
		// A type without a name is the same wherever it is written.
		if types.Identical(t, s) {
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

// entangled reports whether a type refers to a struct type other than s that leads back to s. It is enough to hide one of the
// fields of such a circle: one that refers to a struct declared before, or all if a struct of the circle holds another.
func (p *program) entangled(t types.Type, s *types.Struct, reference bool, seen map[types.Type]bool) bool {
	for _, e := range p.edges(t, reference) {
		if e.to == nil {
			continue
		}
		u, ok := e.to.Underlying().(*types.Struct)
		if !ok || u == s || !e.reference || u.NumFields() == 0 || seen[e.to] {
			continue
		}
		seen[e.to] = true
		if p.leadsToUnnamed(u, s, map[*types.Struct]bool{}) {
			return true
		}
		if p.returns(u, s, true, map[string]bool{}) || p.returns(u, s, false, map[string]bool{}) && s.Field(0).Pos() >= u.Field(0).Pos() {
			return true
		}
	}
	return false
}

// edge is a struct type that another type is made of: to if it has a name, otherwise unnamed. reference reports whether it is behind a pointer, or in
// a list or map.
type edge struct {
	to        *types.Named
	unnamed   *types.Struct
	reference bool
}

// edges returns the struct types that a type consists of or refers to, without those of the fields of types with a name.
func (p *program) edges(t types.Type, reference bool) []edge {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		if !p.own(t) || isInterface(t) || p.opaque(t) {
			return nil
		}
		if _, ok := t.Underlying().(*types.Struct); ok {
			return []edge{{to: t, reference: reference}}
		}
		return p.edges(t.Underlying(), reference)
	case *types.Pointer:
		return p.edges(t.Elem(), true)
	case *types.Slice:
		return p.edges(t.Elem(), true)
	case *types.Chan:
		return p.edges(t.Elem(), true)
	case *types.Array:
		return p.edges(t.Elem(), reference)
	case *types.Map:
		return append(p.edges(t.Key(), true), p.edges(t.Elem(), true)...)
	case *types.Struct:
		out := []edge{{unnamed: t, reference: reference}}
		for f := range t.Fields() {
			out = append(out, p.edges(f.Type(), reference)...)
		}
		return out
	}
	return nil
}

// returns reports whether a struct type leads to s. held asks for a way on which one struct holds another.
func (p *program) returns(u, s *types.Struct, held bool, seen map[string]bool) bool {
	for f := range u.Fields() {
		for _, e := range p.edges(f.Type(), false) {
			if e.to == nil {
				continue
			}
			next, _ := e.to.Underlying().(*types.Struct)
			wanted := held && e.reference
			if next == s && !wanted {
				return true
			}
			key := fmt.Sprintf("%p %t", next, wanted)
			if next == nil || next == s || seen[key] {
				continue
			}
			seen[key] = true
			if p.returns(next, s, wanted, seen) {
				return true
			}
		}
	}
	return false
}

// leadsToUnnamed reports whether a struct type leads to s in a place where s is written without a name.
func (p *program) leadsToUnnamed(u, s *types.Struct, seen map[*types.Struct]bool) bool {
	if seen[u] {
		return false
	}
	seen[u] = true
	for f := range u.Fields() {
		for _, e := range p.edges(f.Type(), false) {
			if e.unnamed != nil {
				if types.Identical(e.unnamed, s) {
					return true
				}
				continue
			}
			if next, ok := e.to.Underlying().(*types.Struct); ok && p.leadsToUnnamed(next, s, seen) {
				return true
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

// hiddenReceiver lowers the call of a method of a pointer to a hidden field. The method gets the address of a variable with the value of the field, and
// the field gets the value of the variable after the call.
func (f *fn) hiddenReceiver(e *ast.CallExpr, fun ast.Expr) (string, bool) {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok || f.info.Selections[sel] == nil || f.info.Selections[sel].Kind() != types.MethodVal || !f.hiddenPlace(sel.X) {
		return "", false
	}
	t := f.typeOf(sel.X)
	m, index := f.method(t, sel)
	recv, pointer := receiver(m)
	if recv == nil || !pointer || len(index) != 1 || !f.own(recv) {
		return "", false
	}
	if _, have := t.Underlying().(*types.Pointer); have {
		return "", false
	}
	sig := f.typeOf(fun).Underlying().(*types.Signature) //nolint:forcetypeassert // it is called
	field := ast.Unparen(sel.X).(*ast.SelectorExpr)      //nolint:forcetypeassert // see hiddenPlace
	path := f.info.Selections[field].Index()
	last := len(path) - 1
	x, around := f.path(f.expr(field.X), f.typeOf(field.X), path[:last])
	place, value := f.fresh("q"), f.fresh("v")
	params, results := []string{}, []string{}
	args := []string{"&" + value}
	for i, v := range list(sig.Params()) {
		args = append(args, "aura_p"+strconv.Itoa(i))
		params = append(params, args[i+1]+" "+f.typ(v.Type(), e.Pos()))
	}
	for range sig.Results().Len() {
		results = append(results, f.fresh("r"))
	}
	call := f.methodRef(m, types.Unalias(t).(*types.Named), e.Pos()) + "(" + strings.Join(args, ", ") + ")" //nolint:forcetypeassert // it has methods
	if len(results) > 0 {
		call = strings.Join(results, ", ") + " := " + call
	}
	// The arguments are evaluated before the field is read, because they may change it.
	body := value + " := " + f.clearField("(*"+place+")", t, e.Pos()) + "; " + call + "; *" + place + " = (" + f.hide(value, t, e.Pos()) + "); return " + strings.Join(results, ", ")
	callee := "func(" + place + " *any) " + f.typ(sig, e.Pos()) + " { return func(" + strings.Join(params, ", ") + ")" + f.plainResults(sig, e.Pos()) + " { " + body + " } }(&" + x + "." +
		f.fieldName(structOf(around), path[last]) + ")"
	return f.apply(e, sig, false, func(args []string, _ bool) string { return callee + "(" + strings.Join(args, ", ") + ")" }), true
}

// store returns the value x as it is assigned to l.
func (f *fn) store(l ast.Expr, x string) string {
	if !f.hiddenPlace(l) || x == "nil" {
		return x
	}
	return f.hide(x, f.leftType(l), l.Pos())
}

// clearField returns the content of a hidden field.
func (f *fn) clearField(x string, t types.Type, at token.Pos) string {
	name := f.typ(t, at)
	if name == "any" {
		return x
	}
	return f.opened(x, name)
}

// opened returns the value of a type that an any holds, or the zero value for nil.
func (f *fn) opened(x, typ string) string {
	return f.helper(helperKey{does: "open", of: typ}, func() string {
		return fmt.Sprintf("(x any) %s { var v %[1]s; if x != nil { v = x.(%[1]s) }; return v }", typ)
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
