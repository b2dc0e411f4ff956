package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idelchi/aura/internal/repair"
)

// The interpreter does not copy a value with methods that is converted to an interface: the interface keeps referring to the
// value's storage in its function. If another value is stored there later, the interface holds that value. A variable has new
// storage each time it is declared; any other expression has the same storage in all iterations of a loop.

// storedValues finds values that are kept as an interface after their storage is reused.
func storedValues(p *pass, n ast.Node) {
	_, loops := p.enclosing()
	s := storing{pass: p, loops: loops, many: true}
	switch n := n.(type) {
	case *ast.CallExpr:
		slice, ok := p.typeOf(n).Underlying().(*types.Slice)
		if !ok || !p.isAppend(n) {
			s.arguments(n)
			return
		}
		for _, x := range n.Args[1:] {
			s.store(x, slice.Elem())
		}
	case *ast.SendStmt:
		if c, ok := p.typeOf(n.Chan).Underlying().(*types.Chan); ok {
			s.store(n.Value, c.Elem())
		}
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				s.many, s.loops = p.isElement(left), p.outliving(left, loops)
				s.store(n.Rhs[i], p.typeOf(left))
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if len(n.Values) == len(n.Names) && p.info.Defs[name] != nil {
				s.many, s.loops = false, nil
				s.store(n.Values[i], p.info.Defs[name].Type())
			}
		}
	}
}

// outliving returns those of the loops whose iterations a variable outlives.
func (p *pass) outliving(x ast.Expr, loops []ast.Node) []ast.Node {
	obj := p.root(x)
	for i, loop := range loops {
		if obj != nil && within(loop, obj.Pos()) {
			return loops[:i]
		}
	}
	return loops
}

// isElement reports whether an expression may denote a different variable each time it is evaluated.
func (p *pass) isElement(x ast.Expr) bool {
	index, ok := ast.Unparen(x).(*ast.IndexExpr)
	return ok && p.info.Types[index.Index].Value == nil
}

// storing is a statement that keeps values. If many is set, each iteration of a loop keeps one more value.
type storing struct {
	*pass

	loops []ast.Node
	many  bool
}

// store checks an expression whose value is kept as a value of type to.
func (s storing) store(x ast.Expr, to types.Type) {
	x = ast.Unparen(x)
	if call, ok := x.(*ast.CallExpr); ok && len(call.Args) == 1 && s.info.Types[call.Fun].IsType() && types.IsInterface(s.typeOf(call)) {
		if s.repaired(repair.Conversion, call) {
			return
		}
		s.store(call.Args[0], s.typeOf(call))
		return
	}
	if !types.IsInterface(to) {
		s.parts(x)
		return
	}
	t := s.typeOf(x)
	if named := s.interpreted(t); types.IsInterface(t) || named == nil || types.NewMethodSet(types.NewPointer(named)).Len() == 0 {
		return
	}
	const why = "the interpreter stores a reference in an interface instead of the value, "
	switch {
	case len(s.loops) > 0 && !s.leaves() && !s.repaired(repair.Value, x) && s.reused(x):
		s.report(x, atRun, "interface-loop", why+"which has another value in the next iteration", "x := …, then keep x: a variable of the loop's body is a new one each time")
	case s.changesLater(x):
		s.report(x, atRun, "interface-changed", why+"and the variable changes later", "copy it into a variable that does not change, and use that")
	}
}

// parts checks the values that a composite literal keeps.
func (s storing) parts(x ast.Expr) {
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.AND {
		x = ast.Unparen(u.X)
	}
	lit, ok := x.(*ast.CompositeLit)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		value, key := e, ast.Expr(nil)
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			value, key = kv.Value, kv.Key
		}
		if t := elementType(s.typeOf(lit), i, key); t != nil {
			s.store(value, t)
		}
	}
}

// elementType returns the type of element i, or of the element with the key, in a composite literal of type t.
func elementType(t types.Type, i int, key ast.Expr) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		return u.Elem()
	case *types.Struct:
		id, named := key.(*ast.Ident)
		for f := range u.NumFields() {
			if named && u.Field(f).Name() == id.Name || key == nil && f == i {
				return u.Field(f).Type()
			}
		}
	}
	return nil
}

// reused reports whether the next iteration stores another value in the storage of an expression.
func (s storing) reused(x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.Ident:
		return s.reusedVariable(s.info.Uses[e])
	case *ast.UnaryExpr:
		return s.many && e.Op == token.AND
	case *ast.IndexExpr:
		_, isMap := s.typeOf(e.X).Underlying().(*types.Map)
		return s.many && isMap
	case *ast.SelectorExpr:
		return s.many && s.info.Selections[e] != nil
	case *ast.CallExpr, *ast.TypeAssertExpr:
		return s.many
	}
	return false
}

// reusedVariable reports whether a variable is shared by the iterations of a loop and gets another value in the next one.
func (s storing) reusedVariable(obj types.Object) bool {
	if _, ok := obj.(*types.Var); !ok {
		return false
	}
	var around []ast.Node
	for _, loop := range s.loops {
		body := loopBody(loop)
		if within(loop, obj.Pos()) && !within(body, obj.Pos()) {
			return !s.repaired(repair.Variable, declaration(loop, obj.Pos()))
		}
		if within(body, obj.Pos()) {
			break // the innermost loop comes first, and this loop redeclares the variable
		}
		around = append(around, loop)
	}
	return slices.ContainsFunc(s.changed[obj], func(c change) bool { return inLoop(c.at, around) && replaces(obj.Type(), c) })
}

// declaration returns the name in the head of a loop that is at a position.
func declaration(loop ast.Node, at token.Pos) *ast.Ident {
	var found *ast.Ident
	ast.Inspect(loop, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Pos() == at {
			found = id
		}
		return found == nil && n != loopBody(loop)
	})
	return found
}

func loopBody(loop ast.Node) *ast.BlockStmt {
	switch l := loop.(type) {
	case *ast.ForStmt:
		return l.Body
	case *ast.RangeStmt:
		return l.Body
	default:
		return nil
	}
}

// replaces reports whether a change stores another value in the storage of a variable. A struct that is assigned as a whole
// gets new storage.
func replaces(t types.Type, c change) bool {
	switch t.Underlying().(type) {
	case *types.Pointer:
		return c.whole
	case *types.Struct, *types.Array:
		return !c.whole
	default:
		return false
	}
}

// changesLater reports whether an expression is a local variable that changes afterwards.
func (s storing) changesLater(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	fn, _ := s.enclosing()
	if !ok || fn == nil {
		return false
	}
	obj := s.info.Uses[id]
	if obj == nil || !within(fn, obj.Pos()) {
		return false
	}
	return slices.ContainsFunc(s.changed[obj], func(c change) bool {
		return c.at > x.End() && within(fn, c.at) && replaces(obj.Type(), c)
	})
}

// leaves reports whether the loop ends after the current statement.
func (p *pass) leaves() bool {
	for i := len(p.stack) - 1; i > 0; i-- {
		stmt, ok := p.stack[i].(ast.Stmt)
		if !ok {
			continue
		}
		var list []ast.Stmt
		switch block := p.stack[i-1].(type) {
		case *ast.BlockStmt:
			list = block.List
		case *ast.CaseClause:
			list = block.Body
		case *ast.CommClause:
			list = block.Body
		default:
			continue
		}
		for _, next := range list[slices.Index(list, stmt)+1:] {
			switch n := next.(type) {
			case *ast.ReturnStmt:
				return true
			case *ast.BranchStmt:
				return n.Tok == token.BREAK || n.Tok == token.GOTO
			}
		}
		return false
	}
	return false
}

// structValues finds struct literals that are assigned to a field or element whose type is an interface of the plugin's own.
func structValues(p *pass, n ast.Node) {
	set, ok := n.(*ast.AssignStmt)
	if !ok || len(set.Lhs) != len(set.Rhs) {
		return
	}
	for i, left := range set.Lhs {
		lit, isLit := ast.Unparen(set.Rhs[i]).(*ast.CompositeLit)
		if _, isName := ast.Unparen(left).(*ast.Ident); isName || !isLit {
			continue
		}
		to := p.typeOf(left)
		if types.IsInterface(to) && p.interpreted(to) != nil && p.interpreted(p.typeOf(lit)) != nil {
			name := types.TypeString(p.typeOf(lit), types.RelativeTo(p.types))
			p.report(lit, atRun, "interface-value", fmt.Sprintf("the interpreter panics when a %s is assigned like this", name),
				fmt.Sprintf("x := %s{…}, then assign x", name))
		}
	}
}
