package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/idelchi/aura/internal/repair"
)

// switches finds switches over an interface whose cases are values of other types. The loader repairs switches over a variable
// or a part of one.
func switches(p *pass, n ast.Node) {
	s, ok := n.(*ast.SwitchStmt)
	if !ok || s.Tag == nil || !types.IsInterface(p.typeOf(s.Tag)) || p.repaired(repair.Switch, s) {
		return
	}
	for _, clause := range s.Body.List {
		cases, ok := clause.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, x := range cases.List {
			tv := p.info.Types[x]
			if tv.Type != nil && !tv.IsNil() && tv.Value != nil {
				p.report(s, atRun, "switch-interface", "a switch over an interface panics at a case with a constant",
					"assert the type first: if s, ok := v.(string); ok { switch s { … } }")
				return
			}
		}
	}
}

// typeSwitches finds cases that never match, or that match too early.
func typeSwitches(p *pass, n ast.Node) {
	s, ok := n.(*ast.TypeSwitchStmt)
	if !ok {
		return
	}
	x, bound := subject(s)
	bound = bound || p.repaired(repair.Named, s)
	over := p.typeOf(x)
	asserted := p.repaired(repair.Assertions, s)
	type seen struct {
		typ  types.Type
		text string
	}
	var before []seen
	for _, clause := range s.Body.List {
		cases, ok := clause.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, c := range cases.List {
			t := p.typeOf(c)
			if p.info.Types[c].IsNil() && p.interpreted(over) != nil && !isEmpty(over) {
				p.report(c, maybe, "case-nil", "case nil does not match in the interpreter, because the value switched over is of an interface type of the plugin's own",
					"compare it with nil before the switch")
			}
			if p.info.Types[c].IsNil() || invalid(t) {
				continue
			}
			text := types.TypeString(t, types.RelativeTo(p.types))
			caseType(p, c, t, typeSwitch{subject: x, over: over, bound: bound, asserted: asserted, text: text})
			for _, b := range before {
				if confused(p, b.typ, t) {
					p.report(c, atRun, "case-same", fmt.Sprintf("the interpreter takes a %s for a %s, so this case is never reached", text, b.text),
						"switch over a field or a method that tells them apart, or give the structs different fields")
				}
			}
			before = append(before, seen{t, text})
		}
	}
}

// typeSwitch holds what the checks of its cases need.
type typeSwitch struct {
	subject  ast.Expr
	over     types.Type
	bound    bool
	asserted bool
	text     string
}

// caseType checks one case of a type switch.
func caseType(p *pass, at ast.Expr, t types.Type, s typeSwitch) {
	own := p.interpreted(t)
	i, isInterface := t.Underlying().(*types.Interface)
	native := types.IsInterface(s.over) && s.over.Underlying().(*types.Interface).NumMethods() > 0 && p.interpreted(s.over) == nil //nolint:forcetypeassert // asked
	switch {
	case s.asserted || isInterface && i.NumMethods() == 0:
	case isInterface && (!s.bound || own != nil):
		p.report(at, atRun, "case-interface", fmt.Sprintf("case %s does not match in the interpreter", s.text), interfaceFix(own, s.text))
	case isInterface:
		p.report(at, maybe, "case-interface", fmt.Sprintf("case %s does not match types of the plugin's own", s.text), interfaceFix(own, s.text))
	case own != nil && native:
		p.report(at, atRun, "case-own", fmt.Sprintf("case %s does not match in the interpreter, because the value switched over is of a compiled interface type", s.text),
			fmt.Sprintf("assert a pointer type: if e, ok := v.(*%s); ok { … }", own.Obj().Name()))
	case s.bound && own != nil:
		anyCase(p, at, own, s)
	case !s.bound && (own != nil && !isBasic(own) || hasInterface(t)):
		p.report(at, atRun, "case-unbound", fmt.Sprintf("case %s does not match in the interpreter unless the switch declares a variable", s.text),
			"switch x := v.(type) and use x, or write _ = x")
	}
}

func interfaceFix(own *types.Named, text string) string {
	if own != nil {
		return "name the concrete types instead"
	}
	return fmt.Sprintf("assert it before the switch: if x, ok := v.(%s); ok { … }", text)
}

func isBasic(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// hasInterface reports whether the elements of a type are interfaces.
func hasInterface(t types.Type) bool {
	switch t := t.(type) {
	case *types.Slice:
		return types.IsInterface(t.Elem()) || hasInterface(t.Elem())
	case *types.Array:
		return types.IsInterface(t.Elem()) || hasInterface(t.Elem())
	case *types.Map:
		return types.IsInterface(t.Elem()) || types.IsInterface(t.Key()) || hasInterface(t.Elem())
	case *types.Chan:
		return types.IsInterface(t.Elem())
	}
	return false
}

// confused reports whether the interpreter cannot distinguish two types, one of which is interpreted.
func confused(p *pass, a, b types.Type) bool {
	if types.IsInterface(a) || types.IsInterface(b) || types.Identical(a, b) || p.interpreted(a) == nil && p.interpreted(b) == nil {
		return false
	}
	return types.Identical(erase(a), erase(b))
}

func erase(t types.Type) types.Type {
	if ptr, ok := t.(*types.Pointer); ok {
		return types.NewPointer(erase(types.Unalias(ptr.Elem())))
	}
	return t.Underlying()
}

// subject returns the value that a type switch is over, and reports whether the switch names the value.
func subject(s *ast.TypeSwitchStmt) (ast.Expr, bool) {
	var x ast.Expr
	bound := false
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		x = a.X
	case *ast.AssignStmt:
		x, bound = a.Rhs[0], true
	}
	if assert, ok := ast.Unparen(x).(*ast.TypeAssertExpr); ok {
		return assert.X, bound
	}
	return x, bound
}

// assertions finds type assertions that fail although they are correct in Go.
func assertions(p *pass, n ast.Node) {
	a, ok := n.(*ast.TypeAssertExpr)
	if !ok || a.Type == nil {
		return
	}
	from, to := p.typeOf(a.X), p.typeOf(a.Type)
	own := p.interpreted(to)
	if _, written := to.(*types.Interface); written && !isEmpty(to) && !p.repaired(repair.Assertion, a) {
		p.report(n, atRun, "assert-interface", "the interpreter never matches an interface literal in an assertion", "assert the concrete type, or an interface of the standard library")
		return
	}
	if own == nil || p.interpreted(from) != nil {
		return
	}
	text := types.TypeString(to, types.RelativeTo(p.types))
	if i, ok := to.Underlying().(*types.Interface); ok {
		if i.NumMethods() > 0 {
			p.report(n, atRun, "assert-interface", fmt.Sprintf("no value is a %s to the interpreter, because the interface is the plugin's own", text),
				"assert the concrete type, or an interface of the standard library")
		}
		return
	}
	f, _ := from.Underlying().(*types.Interface)
	if _, isStruct := to.Underlying().(*types.Struct); isStruct && f != nil && f.NumMethods() > 0 {
		p.report(n, atRun, "assert-struct", fmt.Sprintf("the interpreter does not find a %s behind a compiled interface type", text),
			fmt.Sprintf("use pointers: return &%s{…} and assert .(*%s)", text, text))
	}
}

// comparisons finds interface values that the interpreter cannot compare.
func comparisons(p *pass, n ast.Node) {
	b, ok := n.(*ast.BinaryExpr)
	if !ok || b.Op != token.EQL && b.Op != token.NEQ || p.info.Types[b.X].IsNil() || p.info.Types[b.Y].IsNil() {
		return
	}
	x, y := p.typeOf(b.X), p.typeOf(b.Y)
	switch {
	case !types.IsInterface(x) && !types.IsInterface(y):
	case types.IsInterface(x) && p.interpreted(x) != nil, types.IsInterface(y) && p.interpreted(y) != nil:
		p.report(n, atRun, "compare-interface", "the interpreter does not find two values of an interface type of the plugin's own equal",
			"compare what a method of both returns")
	case p.ownError(b.X), p.ownError(b.Y):
		p.report(n, atRun, "compare-error", "the interpreter cannot compare an error of the plugin's own type: it panics or finds them different",
			"make the error with errors.New, or compare what Error returns")
	}
}

// ownError reports whether an expression is an error of an interpreted type, or a variable that was assigned one.
func (p *pass) ownError(x ast.Expr) bool {
	for range 3 {
		t := p.typeOf(x)
		if !types.IsInterface(t) {
			return p.interpreted(t) != nil && types.Implements(t, errorInterface)
		}
		obj := p.root(x)
		if obj == nil || p.origin[obj] == nil {
			return false
		}
		x = p.origin[obj]
	}
	return false
}

// mapKeys finds maps whose key type is an interpreted interface.
func mapKeys(p *pass, n ast.Node) {
	if m, ok := n.(*ast.MapType); ok {
		if t := p.typeOf(m.Key); types.IsInterface(t) && p.interpreted(t) != nil {
			p.report(n, atRun, "map-key", "the interpreter cannot look up keys of an interface type of the plugin's own", "use a string or a number as key")
		}
	}
}

// methodExpressions finds T.method used as a value.
func methodExpressions(p *pass, n ast.Node) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := p.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodExpr {
		return
	}
	if call, ok := p.parent(1).(*ast.CallExpr); ok && call.Fun == sel {
		return
	}
	p.report(n, atRun, "method-expression", "a method taken from its type panics in the interpreter when it is used",
		"write a function literal: func(t T) … { return t.method() }")
}

// embeddedInterfaces finds methods that a struct has only through an embedded interface.
func embeddedInterfaces(p *pass, n ast.Node) {
	switch n := n.(type) {
	case *ast.StructType:
		for _, f := range n.Fields.List {
			t := p.typeOf(f.Type)
			if i, ok := t.Underlying().(*types.Interface); ok && len(f.Names) == 0 && i.NumMethods() > 0 && p.interpreted(t) == nil {
				p.report(f, atRun, "embedded-interface", "the methods of an embedded interface are not found in the interpreter",
					"name the field, and write the methods that are needed")
			}
		}
	case *ast.SelectorExpr:
		s := p.info.Selections[n]
		if s == nil || s.Kind() != types.MethodVal || len(s.Index()) < 2 {
			return
		}
		if i, ok := s.Obj().(*types.Func); ok && types.IsInterface(i.Signature().Recv().Type()) && p.interpreted(i.Signature().Recv().Type()) != nil {
			p.report(n, atRun, "embedded-interface", "a method called through an embedded interface panics in the interpreter",
				"name the field: x.field."+n.Sel.Name+"()")
		}
	}
}
