package lower

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// made returns a function literal as the result of a function of its own. The interpreter keeps the variable that holds a literal in the frame of
// the function that evaluates it, and sets the variable back after each call of the literal. A literal that compiled code receives directly has no
// variable, and reads those around it as they are when it is called.
func (f *fn) made(text string, t types.Type, at token.Pos) string {
	return "func() " + f.typ(t, at) + " { return " + text + " }()"
}

// goes lowers a go statement. A literal that ends in another goroutine must not change a variable of this one: see made.
func (f *fn) goes(s *ast.GoStmt) string {
	lit, ok := ast.Unparen(s.Call.Fun).(*ast.FuncLit)
	if !ok {
		return "go " + f.call(s.Call)
	}
	t, name := f.typeOf(lit), f.fresh("g")
	sig := t.(*types.Signature) //nolint:forcetypeassert // it is called
	call := f.apply(s.Call, sig, false, func(args []string, _ bool) string { return name + "(" + strings.Join(args, ", ") + ")" })
	return fmt.Sprintf("%s := %s; go %s", name, f.made(f.literalIn(lit, ""), t, s.Pos()), call)
}

// unwinding is the type of what deferred calls ask for a panic, and recovering the end of the name of a function that gets it.
const (
	unwinding  = "*" + boxAlias + ".Unwinding"
	recovering = "_aura_r"
)

// defers lowers a defer statement: what it needs is evaluated, and a function that makes the call is added to the frame.
func (f *fn) defers(s *ast.DeferStmt) string {
	u := f.fresh("u")
	before := ""
	if len(s.Call.Args) == 1 {
		if from, ok := f.typeOf(s.Call.Args[0]).(*types.Tuple); ok {
			s, before = f.spread(s, from)
		}
	}
	callee, params, values := f.deferred(s, u)
	call := f.fresh("d")
	if len(params) == 0 {
		before += fmt.Sprintf("%s := func(%s %s) { %s }", call, u, unwinding, callee)
	} else {
		before += fmt.Sprintf("%s := func(%s) func(%s) { return func(%s %[3]s) { %[5]s } }(%[6]s)", call, strings.Join(params, ", "), unwinding, u, callee, strings.Join(values, ", "))
	}
	return fmt.Sprintf("%s; %s.Defer(%s)", before, f.frame, call)
}

// deferred returns the call that is made at the end of the function, and what is evaluated for it now. u is the variable with the
// end of the function.
func (f *fn) deferred(s *ast.DeferStmt, u string) (call string, params, values []string) {
	fun := ast.Unparen(s.Call.Fun)
	if f.info.Types[fun].IsBuiltin() {
		return f.deferredBuiltin(s, u)
	}
	if _, ok := f.special(s.Call); ok {
		kept, params, values := f.keptArgs(s.Call)
		return f.call(kept), params, values
	}
	var callee func(args []string, spread bool) string
	var compiled bool
	sig, _ := f.typeOf(fun).Underlying().(*types.Signature)
	lit, isLit := fun.(*ast.FuncLit)
	switch _, static := f.static(fun); {
	case isLit:
		text := f.literalIn(lit, u)
		callee = func(args []string, _ bool) string { return text + "(" + strings.Join(args, ", ") + ")" }
	case f.isMethodValue(fun):
		sel := fun.(*ast.SelectorExpr) //nolint:forcetypeassert // see isMethodValue
		var recv, typ string
		callee, compiled, recv, typ = f.deferredMethod(sel, u)
		params, values = append(params, "aura_x "+typ), append(values, recv)
	case static:
		callee, compiled, sig = f.callee(fun)
		if name := f.recoveringName(fun); name != "" {
			callee = func(args []string, _ bool) string {
				return name + "(" + strings.Join(append([]string{u}, args...), ", ") + ")"
			}
		}
	default:
		params, values = append(params, "aura_x "+f.typ(sig, s.Pos())), append(values, f.under(fun))
		callee = func(args []string, _ bool) string { return "aura_x(" + strings.Join(args, ", ") + ")" }
	}
	var names, args []string
	for i := range sig.Params().Len() {
		names = append(names, fmt.Sprintf("aura_p%d", i))
		params = append(params, names[i]+" "+f.typ(f.subst(sig.Params().At(i).Type()), s.Pos()))
	}
	f.apply(s.Call, sig, false, func(a []string, _ bool) string { args = a; return "" })
	return callee(names, compiled && sig.Variadic()), params, append(values, args...)
}

// isMethodValue reports whether an expression is a method of a value.
func (f *fn) isMethodValue(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	return ok && f.info.Selections[sel] != nil && f.info.Selections[sel].Kind() == types.MethodVal
}

// deferredMethod returns the call of a method whose receiver is in aura_x, the receiver and its type.
func (f *fn) deferredMethod(sel *ast.SelectorExpr, u string) (callee func([]string, bool) string, compiled bool, recv, typ string) {
	_, compiled, _ = f.callee(sel)
	recv, typ = f.receiverNow(sel)
	m, index := f.method(f.typeOf(sel.X), sel)
	_, t := f.path("", f.typeOf(sel.X), f.reached(f.typeOf(sel.X), index[:len(index)-1]))
	if _, pointer := receiver(m); pointer && !isInterface(t) {
		if _, have := t.Underlying().(*types.Pointer); !have {
			t = types.NewPointer(t)
		}
	} else if p, have := t.Underlying().(*types.Pointer); have && !isInterface(t) && f.ownMethod(m) {
		t = p.Elem()
	}
	return func(args []string, spread bool) string {
		if isInterface(t) && !f.compiled(t) {
			sig := f.lookupSignature(t, m)
			typ := strings.TrimPrefix(f.typ(sig, sel.Pos()), "func(")
			return fmt.Sprintf("if aura_m := %s.Recovering(aura_x, %q); aura_m != nil { aura_m.(func(%s, %s)(%s) } else { %s }", boxAlias, m.Name(), unwinding, typ,
				strings.Join(append([]string{u}, args...), ", "), f.methodCall("aura_x", t, index[len(index)-1:], m, args, spread, sel.Pos()))
		}
		f.unwinds = u
		defer func() { f.unwinds = "" }()
		return f.methodCall("aura_x", t, index[len(index)-1:], m, args, spread, sel.Pos())
	}, compiled, recv, typ
}

// deferredBuiltin is deferred for a built-in function. Its arguments are kept in variables.
func (f *fn) deferredBuiltin(s *ast.DeferStmt, u string) (call string, params, values []string) {
	id, _ := ast.Unparen(s.Call.Fun).(*ast.Ident)
	if id != nil && f.info.Uses[id].Name() == "recover" {
		if f.recovery == "" {
			return "", nil, nil
		}
		return f.recovery + ".RecoverLater(" + u + ")", nil, nil
	}
	kept, params, values := f.keptArgs(s.Call)
	return f.builtin(kept, ast.Unparen(s.Call.Fun)), params, values
}

// keptArgs returns a call with variables instead of its arguments, as parameters of a function, and the values for them.
func (f *fn) keptArgs(e *ast.CallExpr) (call *ast.CallExpr, params, values []string) {
	kept := *e
	kept.Args = nil
	for i, a := range e.Args {
		tv := f.info.Types[a]
		if tv.Value != nil || tv.IsNil() || tv.IsType() {
			kept.Args = append(kept.Args, a)
			continue
		}
		t := f.typeOf(a)
		name := f.variable(fmt.Sprintf("aura_p%d", i), t, a.Pos())
		params, values = append(params, name.Name+" "+f.typ(t, a.Pos())), append(values, f.expr(a))
		kept.Args = append(kept.Args, name)
	}
	return &kept, params, values
}

// variable returns an expression that names a variable that the source does not have.
func (f *fn) variable(name string, t types.Type, at token.Pos) *ast.Ident {
	id := &ast.Ident{NamePos: at, Name: name}
	v := types.NewVar(at, f.src.Types, name, t)
	f.info.Uses[id] = v
	f.info.Types[id] = types.TypeAndValue{Type: t}
	f.names[v] = name
	return id
}

// spread replaces the results of a call that are the arguments of a deferred one by variables, and returns the statement that sets
// them.
func (f *fn) spread(s *ast.DeferStmt, from *types.Tuple) (*ast.DeferStmt, string) {
	call := *s.Call
	call.Args = nil
	var names []string
	for v := range from.Variables() {
		name := f.fresh("v")
		names = append(names, name)
		call.Args = append(call.Args, f.variable(name, v.Type(), s.Pos()))
	}
	return &ast.DeferStmt{Defer: s.Defer, Call: &call}, strings.Join(names, ", ") + " := " + f.expr(s.Call.Args[0]) + "; "
}

func (f *fn) ownMethod(m *types.Func) bool { return f.sourceOf(m) != nil }

// receiverNow returns the receiver of a method call and its type.
func (f *fn) receiverNow(sel *ast.SelectorExpr) (recv, name string) {
	t := f.typeOf(sel.X)
	m, index := f.method(t, sel)
	x, t := f.path(f.expr(sel.X), t, f.reached(t, index[:len(index)-1]))
	if isInterface(t) {
		name = f.typ(t, sel.Pos())
		return f.receiverOf(x, name), name
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

// receiverOf returns the interface value x of a type, and panics if it is nil.
func (f *fn) receiverOf(x, typ string) string {
	return f.helper(helperKey{does: "receiver", of: typ}, func() string {
		return fmt.Sprintf("(x %s) %[1]s { if x == nil { %s.NilReceiver() }; return x }", typ, boxAlias)
	}) + "(" + x + ")"
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

// callsName notes that the function that an expression names is called here.
func (f *fn) callsName(fun ast.Expr) {
	switch x := fun.(type) {
	case *ast.IndexExpr:
		f.callsName(ast.Unparen(x.X))
	case *ast.IndexListExpr:
		f.callsName(ast.Unparen(x.X))
	case *ast.Ident:
		f.direct[x] = true
	case *ast.SelectorExpr:
		f.direct[x.Sel] = true
	}
}

// keepsName refuses the name of a function that is not called but kept, if it calls recover.
func (f *fn) keepsName(id *ast.Ident, obj *types.Func) {
	if !f.direct[id] && f.recoversItself(obj) {
		refuse(id.Pos(), "the function %s calls recover and is kept; the interpreter recovers only in a function that is deferred by its name: defer %[1]s()", obj.Name())
	}
}

// recoveringName returns the name of the variant of a declared function that can recover, or "".
func (f *fn) recoveringName(fun ast.Expr) string {
	obj, ok := f.static(fun)
	if !ok || !f.recoversItself(obj) || f.isMethodExpr(fun) {
		return ""
	}
	return f.expr(fun) + recovering
}

// isMethodExpr reports whether an expression is a method as a function of its receiver.
func (f *fn) isMethodExpr(fun ast.Expr) bool {
	sel, ok := fun.(*ast.SelectorExpr)
	return ok && f.info.Selections[sel] != nil
}

// recoversItself reports whether a declared function calls recover, other than in a function literal.
func (p *program) recoversItself(obj *types.Func) bool {
	d := p.decls[obj.Origin()]
	return d != nil && d.Body != nil && recoversItself(d.Body)
}

// recoversItself reports whether a body calls recover, other than in a function literal.
func recoversItself(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "recover"
		return !found
	})
	return found
}

// deferring reports whether a body defers calls, other than in a function literal.
func deferring(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.DeferStmt:
			found = true
		}
		return !found
	})
	return found
}

// guarded writes the body of a function that defers calls: the statements become a function that compiled code calls. The results
// are variables.
func (f *fn) guarded(b *ast.BlockStmt) string {
	text := f.block(b.List)
	run := fmt.Sprintf("%[5]s\n%[1]s := %s.Frame()\n%[1]s.Run(func() {%[3]s})\n%s ", f.frame, boxAlias, within(f.title(), "\n"+text+f.line(b.Rbrace)), strings.TrimSpace("return "+strings.Join(f.resultNames(), ", ")), f.resultVars())
	return "{" + hiddenCall(run) + "}"
}

// resultNames returns the names of the results.
func (f *fn) resultNames() []string {
	var out []string
	for v := range f.results.Variables() {
		out = append(out, f.names[v])
	}
	return out
}
