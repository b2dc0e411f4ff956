package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
)

// libraryValue returns a function or method of the library as a value, if calls of it are lowered in a special way: a function literal with such a
// call.
func (f *fn) libraryValue(e ast.Expr) (string, bool) {
	obj := f.libraryFunc(e)
	sig, ok := f.typeOf(e).Underlying().(*types.Signature)
	if obj == nil || !ok || passesValue(sig) {
		return "", false
	}
	fun, receiver := f.receiverVariable(e, obj)
	call := &ast.CallExpr{Fun: fun, Lparen: e.Pos(), Rparen: e.End()}
	for i, v := range list(sig.Params()) {
		call.Args = append(call.Args, f.useOf("aura_p"+strconv.Itoa(i), v.Type(), e))
	}
	if sig.Variadic() {
		call.Ellipsis = e.Pos()
	}
	result := types.Type(sig.Results())
	if sig.Results().Len() == 1 {
		result = sig.Results().At(0).Type()
	}
	f.info.Types[call] = types.TypeAndValue{Type: result}
	text, ok := f.special(call)
	if !ok {
		return "", false
	}
	literal := f.closure(sig, e.Pos(), func([]string) string { return text })
	if receiver == nil {
		return f.made(literal, sig, e.Pos()), true
	}
	x := ast.Unparen(e).(*ast.SelectorExpr).X //nolint:forcetypeassert // it has a receiver
	value := f.expr(x)
	if !types.Identical(f.typeOf(x), receiver) {
		value = "&" + value
	}
	return fmt.Sprintf("func(aura_x %s) %s { return %s }(%s)", f.typ(receiver, e.Pos()), f.typ(sig, e.Pos()), literal, value), true
}

// receiverVariable returns a function or method whose receiver, if it has one, is the variable aura_x, and the type of that variable.
func (f *fn) receiverVariable(e ast.Expr, obj *types.Func) (ast.Expr, types.Type) {
	sel, ok := ast.Unparen(e).(*ast.SelectorExpr)
	if !ok || obj.Signature().Recv() == nil {
		return e, nil
	}
	t := f.typeOf(sel.X)
	_, pointer := types.Unalias(obj.Signature().Recv().Type()).(*types.Pointer)
	if _, have := t.Underlying().(*types.Pointer); pointer && !have && !isInterface(t) {
		t = types.NewPointer(t)
	}
	method := &ast.SelectorExpr{X: f.useOf("aura_x", t, e), Sel: sel.Sel}
	f.info.Selections[method] = f.info.Selections[sel]
	f.info.Types[method] = f.info.Types[sel]
	return method, t
}

// useOf returns the use of a variable that only lowered source has.
func (f *fn) useOf(name string, t types.Type, at ast.Expr) *ast.Ident {
	id := &ast.Ident{Name: name, NamePos: at.Pos()}
	v := types.NewVar(at.Pos(), f.pkg.Types, name, t)
	f.info.Uses[id], f.info.Types[id] = v, types.TypeAndValue{Type: t}
	f.names[v] = name
	return id
}

// list returns the variables of a tuple.
func list(t *types.Tuple) []*types.Var {
	var out []*types.Var
	for v := range t.Variables() {
		out = append(out, v)
	}
	return out
}
