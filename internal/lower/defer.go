package lower

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// goes lowers a go statement.
func (f *fn) goes(s *ast.GoStmt) string { return "go " + f.started(s.Call) }

// started lowers a call that go or defer starts. The callee is a name, so that the interpreter evaluates all else before.
func (f *fn) started(e *ast.CallExpr) string {
	if tv := f.info.Types[ast.Unparen(e.Fun)]; tv.IsBuiltin() || tv.IsType() {
		return f.expr(e)
	}
	text := f.call(e)
	return text
}

// defers lowers a defer statement. The interpreter evaluates arguments late, so a function that holds them is deferred.
func (f *fn) defers(s *ast.DeferStmt) string { //nolint:gocognit // one case after the other
	fun := ast.Unparen(s.Call.Fun)
	if lit, ok := fun.(*ast.FuncLit); ok {
		f.direct(lit)
		if recovers(lit.Body) && f.usesLoop(lit) {
			refuse(s.Pos(), "a function literal that calls recover is deferred in a loop and uses its variables, which the interpreter gets wrong; call a function that defers it")
		}
	}
	if f.deferred == "" && !f.separable(s.Call) {
		if _, static := f.static(fun); static || len(s.Call.Args) > 0 || f.info.Types[fun].IsBuiltin() {
			return "defer " + f.started(s.Call)
		}
		if _, ok := fun.(*ast.FuncLit); ok {
			return "defer " + f.started(s.Call)
		}
	}
	lit, isLit := fun.(*ast.FuncLit)
	call, compiled, sig := f.calleeOrRefuse(s.Call)
	var params, names, args []string
	callee := call
	var fixed []string
	if sel, ok := fun.(*ast.SelectorExpr); ok && f.info.Selections[sel] != nil && f.info.Selections[sel].Kind() == types.MethodVal {
		// The receiver is evaluated now.
		recv, name := f.receiverNow(sel)
		params, fixed = append(params, "aura_x "+name), append(fixed, recv)
		m, index := f.method(f.typeOf(sel.X), sel)
		_, t := f.path("", f.typeOf(sel.X), index[:len(index)-1])
		if _, pointer := receiver(m); pointer && !isInterface(t) {
			if _, have := t.Underlying().(*types.Pointer); !have {
				t = types.NewPointer(t)
			}
		} else if p, have := t.Underlying().(*types.Pointer); have && !isInterface(t) && f.ownMethod(m) {
			t = p.Elem()
		}
		callee = func(args []string, spread bool) string {
			return f.methodCall("aura_x", t, index[len(index)-1:], m, args, spread, s.Pos())
		}
	} else if !isLit {
		if _, static := f.static(fun); !static {
			params, fixed = append(params, "aura_x "+f.typ(sig, s.Pos())), append(fixed, f.under(fun))
			callee = func(args []string, spread bool) string { return "aura_x(" + strings.Join(args, ", ") + ")" }
		}
	}
	for i := range sig.Params().Len() {
		params = append(params, fmt.Sprintf("aura_p%d %s", i, f.typ(sig.Params().At(i).Type(), s.Pos())))
		names = append(names, fmt.Sprintf("aura_p%d", i))
	}
	f.apply(s.Call, sig, false, func(a []string, _ bool) string { args = a; return "" })
	if len(args) != sig.Params().Len() {
		refuse(s.Pos(), "a deferred call whose arguments are the results of another call cannot be interpreted; assign them to variables first")
	}
	_ = lit
	factory := fmt.Sprintf("func(%s) func() { return func() { %s } }(%s)", strings.Join(params, ", "), callee(names, compiled && sig.Variadic()), strings.Join(append(fixed, args...), ", "))
	if f.deferred != "" {
		return fmt.Sprintf("%s = append(%[1]s, %[2]s)", f.deferred, factory)
	}
	temp := f.fresh("d")
	return temp + " := " + factory + "; defer " + temp + "()"
}

func (f *fn) ownMethod(m *types.Func) bool { return m.Pkg() != nil && f.sources[m.Pkg()] != nil }

// receiverNow returns the receiver of a method call and its type.
func (f *fn) receiverNow(sel *ast.SelectorExpr) (recv, name string) {
	t := f.typeOf(sel.X)
	m, index := f.method(t, sel)
	x, t := f.path(f.expr(sel.X), t, index[:len(index)-1])
	if isInterface(t) {
		return x, f.typ(t, sel.Pos())
	}
	_, pointer := receiver(m)
	p, have := t.Underlying().(*types.Pointer)
	switch {
	case pointer && !have:
		return "&" + x, "*" + f.typ(t, sel.Pos())
	case !pointer && have && f.ownMethod(m):
		return "*" + x, f.typ(p.Elem(), sel.Pos())
	}
	return x, f.typ(t, sel.Pos())
}

// static returns the declared function that an expression names.
func (f *fn) static(fun ast.Expr) (*types.Func, bool) {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		return f.static(ast.Unparen(x.X))
	case *ast.IndexListExpr:
		return f.static(ast.Unparen(x.X))
	case *ast.Ident:
		fn, ok := f.info.Uses[x].(*types.Func)
		return fn, ok
	case *ast.SelectorExpr:
		fn, ok := f.info.Uses[x.Sel].(*types.Func)
		return fn, ok
	}
	return nil, false
}

// direct marks a function literal that is called or deferred where it is written.
func (f *fn) direct(lit *ast.FuncLit) { f.literals[lit] = true }

// usesLoop reports whether a function literal uses a variable of a loop around it.
func (f *fn) usesLoop(lit *ast.FuncLit) bool {
	if len(f.loops) == 0 {
		return false
	}
	loop := f.loops[0]
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if obj := f.info.Uses[id]; obj != nil && loop.Pos() <= obj.Pos() && obj.Pos() < lit.Pos() {
				found = true
			}
		}
		return !found
	})
	return found
}

// separable reports whether a call can be deferred from within another function: it does not call recover.
func (f *fn) separable(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	if tv := f.info.Types[fun]; tv.IsBuiltin() || tv.IsType() {
		return false
	}
	if len(e.Args) == 1 {
		if _, ok := f.typeOf(e.Args[0]).(*types.Tuple); ok {
			return false
		}
	}
	if lit, ok := fun.(*ast.FuncLit); ok {
		return len(e.Args) > 0 && !recovers(lit.Body)
	}
	obj, ok := f.static(fun)
	if !ok {
		return len(e.Args) > 0
	}
	d := f.decls[obj.Origin()]
	return d == nil || d.Body != nil && !recovers(d.Body)
}

func (f *fn) calleeOrRefuse(e *ast.CallExpr) (func([]string, bool) string, bool, *types.Signature) {
	if tv := f.info.Types[ast.Unparen(e.Fun)]; tv.IsBuiltin() || tv.IsType() {
		refuse(e.Pos(), "this cannot be deferred in a loop over a function; put it in a function literal")
	}
	return f.callee(ast.Unparen(e.Fun))
}
