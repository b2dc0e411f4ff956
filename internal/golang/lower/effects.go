package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// calls reports whether the evaluation of an expression calls something or receives.
func calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// mayPanic reports whether the evaluation of an expression can panic, or calls something that can.
func (f *fn) mayPanic(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !f.info.Types[n.Fun].IsType()
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = true
		case *ast.SelectorExpr:
			s := f.info.Selections[n]
			found = found || s != nil && (s.Indirect() || isPointer(f.typeOf(n.X)) || isInterface(f.typeOf(n.X)))
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr:
			found = found || (n.Op == token.QUO || n.Op == token.REM) && f.info.Types[n.Y].Value == nil
		}
		return !found
	})
	return found
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// isBlank reports whether an expression is the blank identifier.
func isBlank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == "_"
}

// operate lowers an assignment with an operator. A value that a call computes is complete before the place is read.
func (f *fn) operate(s *ast.AssignStmt) string {
	l, r := s.Lhs[0], s.Rhs[0]
	if !calls(r) || !f.mayPanic(l) {
		return f.changed(l) + " " + s.Tok.String() + " " + f.shiftCount(s.Tok, r)
	}
	var before []string
	places := []string{""}
	if calls(l) {
		before, places = f.operands(s.Lhs)
	} else {
		places[0] = f.changed(l)
	}
	temp := f.fresh("v")
	return f.sequence(append(before, temp+" := "+f.shiftCount(s.Tok, r), places[0]+" "+s.Tok.String()+" "+temp))
}

// changed lowers what an operator changes.
func (f *fn) changed(l ast.Expr) string {
	if f.libraryVar(l) != nil {
		return f.left(l)
	}
	return f.expr(l)
}

// sequence returns several statements that declare nothing for the statements after them.
func (f *fn) sequence(statements []string) string {
	text := strings.Join(statements, "; ")
	if f.wide {
		return "{ " + text + " }"
	}
	return "func() { " + text + " }()"
}

// libraryVar returns the variable of a library package that an expression names, or nil.
func (f *fn) libraryVar(e ast.Expr) *types.Var {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if sel, isSel := ast.Unparen(e).(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	v, _ := f.info.Uses[id].(*types.Var)
	if v == nil || v.IsField() || v.Pkg() == nil || v.Parent() != v.Pkg().Scope() || f.sourceOf(v) != nil {
		return nil
	}
	return v
}

// mapElements lowers the keys and values of a map literal.
func (f *fn) mapElements(e *ast.CompositeLit, u *types.Map) (parts []string) {
	for _, x := range e.Elts {
		kv := x.(*ast.KeyValueExpr) //nolint:forcetypeassert // an element of a map has a key
		parts = append(parts, f.mapKey(kv.Key, u)+": "+f.element(kv.Value, u.Elem()))
	}
	return parts
}

// inOrderMap lowers the literal of a map whose operands show the order of evaluation. Go sets one element after the other.
func (f *fn) inOrderMap(e *ast.CompositeLit, u *types.Map, name string) (string, bool) {
	var all []*ast.Expr
	for _, x := range e.Elts {
		kv := x.(*ast.KeyValueExpr) //nolint:forcetypeassert // an element of a map has a key
		all = append(all, &kv.Key, &kv.Value)
	}
	if !f.showsOrder(operands(all...)) {
		return "", false
	}
	m := f.fresh("m")
	var b strings.Builder
	for i := 0; i < len(all); i += 2 {
		before, late := f.before(*all[i], *all[i+1])
		key, value := f.fresh("k"), f.fresh("v")
		before = append(before,
			fmt.Sprintf("var %s %s = %s", key, f.typ(u.Key(), e.Pos()), f.mapKey(late[0], u)),
			fmt.Sprintf("var %s %s = %s", value, f.typ(u.Elem(), e.Pos()), f.element(late[1], u.Elem())),
			fmt.Sprintf("%s[%s] = %s; ", m, key, value))
		b.WriteString(strings.Join(before, "; "))
	}
	return fmt.Sprintf("func() %s { %s := %[1]s{}; %[3]sreturn %[2]s }()", name, m, b.String()), true
}
