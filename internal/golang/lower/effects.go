package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
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

// ordered reports whether an expression calls something or receives: Go evaluates these in the order in which they are written, and other operands, such
// as variables, when all of these are done.
func (f *fn) ordered(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			tv := f.info.Types[n.Fun]
			id, _ := ast.Unparen(n.Fun).(*ast.Ident)
			found = found || tv.Value == nil && !tv.IsType() && (!tv.IsBuiltin() || id == nil || !plainBuiltins[id.Name])
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return !found
	})
	return found
}

// plainBuiltins lists the built-in functions that are evaluated as operators are.
var plainBuiltins = map[string]bool{"len": true, "cap": true, "min": true, "max": true, "real": true, "imag": true, "complex": true}

// readsLate reports whether one of several values is read after a call in a later one.
func (f *fn) readsLate(list []ast.Expr) bool {
	late := false
	for _, x := range list {
		switch tv := f.info.Types[x]; {
		case f.ordered(x):
			if late {
				return true
			}
		case tv.Value == nil && !tv.IsNil():
			late = true
		}
	}
	return false
}

// callsFirst returns the texts for values in the order in which Go evaluates the values.
func (f *fn) callsFirst(list []ast.Expr, texts []string) []string {
	var first, rest []string
	for i, x := range list {
		if f.ordered(x) {
			first = append(first, texts[i])
		} else {
			rest = append(rest, texts[i])
		}
	}
	return append(first, rest...)
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

// readsBetweenCalls reports whether a key or value of a map literal is read before a call in a later one.
func (f *fn) readsBetweenCalls(e *ast.CompositeLit) bool {
	var values []ast.Expr
	for _, x := range e.Elts {
		kv := x.(*ast.KeyValueExpr) //nolint:forcetypeassert // an element of a map has a key
		values = append(values, kv.Key, kv.Value)
	}
	return f.readsLate(values)
}

// inOrderMap lowers the literal of a map whose values are read between calls. Go sets one element after the other, other than those of lists and structs,
// which it reads when all calls are done.
func (f *fn) inOrderMap(e *ast.CompositeLit, u *types.Map, name string) string {
	m := f.fresh("m")
	var b strings.Builder
	for _, x := range e.Elts {
		kv := x.(*ast.KeyValueExpr) //nolint:forcetypeassert // an element of a map has a key
		key, value := f.fresh("k"), f.fresh("v")
		sets := []string{
			fmt.Sprintf("var %s %s = %s; ", key, f.typ(u.Key(), x.Pos()), f.mapKey(kv.Key, u)),
			fmt.Sprintf("var %s %s = %s; ", value, f.typ(u.Elem(), x.Pos()), f.element(kv.Value, u.Elem())),
		}
		b.WriteString(strings.Join(f.callsFirst([]ast.Expr{kv.Key, kv.Value}, sets), "") + m + "[" + key + "] = " + value + "; ")
	}
	return fmt.Sprintf("func() %s { %s := %[1]s{}; %[3]sreturn %[2]s }()", name, m, b.String())
}

// callsBeforeReads lowers a call of which an argument reads a part of a variable before a later one calls something: the calls become arguments of a
// function that reads the rest.
func (f *fn) callsBeforeReads(e *ast.CallExpr) (string, bool) {
	tv := f.info.Types[ast.Unparen(e.Fun)]
	if tv.IsType() || tv.IsBuiltin() || calls(e.Fun) || !f.readsParts(e.Args) {
		return "", false
	}
	sig := f.typeOf(e.Fun).Underlying().(*types.Signature) //nolint:forcetypeassert // it is called
	kept := *e
	kept.Args = slices.Clone(e.Args)
	f.info.Types[&kept] = f.info.Types[e]
	var params, values []string
	for i, a := range e.Args {
		if f.ordered(a) {
			t := types.Default(f.typeOf(a))
			name := f.variable(f.fresh("v"), t, a.Pos())
			params, values = append(params, name.Name+" "+f.typ(t, a.Pos())), append(values, f.expr(a))
			kept.Args[i] = name
		}
	}
	ret := ""
	if sig.Results().Len() > 0 {
		ret = "return "
	}
	return fmt.Sprintf("func(%s)%s {%s}(%s)", strings.Join(params, ", "), f.plainResults(sig, e.Pos()), hiddenCall(" "+ret+f.call(&kept)+" "), strings.Join(values, ", ")), true
}

// readsParts reports whether one of several values is a part of something and read before a later one calls a function that could change it: one
// of the plugin.
func (f *fn) readsParts(list []ast.Expr) bool {
	late := false
	for _, x := range list {
		if f.ordered(x) {
			if call, ok := ast.Unparen(x).(*ast.CallExpr); late && (!ok || f.libraryFunc(call.Fun) == nil) {
				return true
			}
			continue
		}
		late = late || f.mayPanic(x)
	}
	return false
}
