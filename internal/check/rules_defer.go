package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idelchi/aura/internal/repair"
)

// deferredArguments finds deferred calls whose arguments or receiver will have changed by the time that the calls run.
func deferredArguments(p *pass, n ast.Node) {
	d, ok := n.(*ast.DeferStmt)
	if !ok {
		return
	}
	fn, loops := p.enclosing()
	if fn == nil {
		return
	}
	for _, x := range d.Call.Args {
		if at := (deferred{at: d, fn: fn, loops: loops, parts: !p.holdsReference(x)}); !p.repaired(repair.Argument, x) {
			p.checkDeferred(x, at)
		}
	}
	sel, ok := ast.Unparen(d.Call.Fun).(*ast.SelectorExpr)
	if !ok || p.info.Selections[sel] == nil {
		return
	}
	method := p.callee(d.Call)
	parts := method == nil || !isPointer(method.Signature().Recv().Type()) && !types.IsInterface(method.Signature().Recv().Type())
	if at := (deferred{at: d, fn: fn, loops: loops, parts: parts}); !p.copiedReceiver(sel, d) {
		p.checkDeferred(sel.X, at)
	}
}

// deferred is the place of a deferred call. If parts is set, an assignment to a part of a variable also changes the
// expression.
type deferred struct {
	at    *ast.DeferStmt
	fn    ast.Node
	loops []ast.Node
	parts bool
}

func (p *pass) checkDeferred(x ast.Expr, d deferred) {
	switch w, stale := p.stale(x, d); {
	case !stale:
	case len(d.loops) > 0:
		p.report(x, atRun, "defer-loop", "calls deferred in a loop all get the values of the last iteration",
			"move the body of the loop to a function of its own, which defers one call")
	default:
		p.report(x, w, "defer-argument", "the interpreter evaluates the arguments of a deferred call when the call runs, and this value has changed by then",
			"copy it into a variable that does not change, and defer with that")
	}
}

// holdsReference reports whether an expression is a variable on its own whose type refers to its content.
func (p *pass) holdsReference(x ast.Expr) bool {
	if _, ok := ast.Unparen(x).(*ast.Ident); !ok {
		return false
	}
	switch p.typeOf(x).Underlying().(type) {
	case *types.Struct, *types.Array:
		return false
	default:
		return true
	}
}

// stale reports whether an expression in a deferred call may have another value when the call runs.
func (p *pass) stale(x ast.Expr, d deferred) (weight, bool) {
	tv := p.info.Types[x]
	if tv.Value != nil || tv.IsNil() || tv.IsType() {
		return atRun, false
	}
	switch e := ast.Unparen(x).(type) {
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return atRun, false
		}
	case *ast.FuncLit:
		return atRun, false
	case *ast.IndexExpr:
		if _, isMap := p.typeOf(e.X).Underlying().(*types.Map); isMap {
			return atRun, len(d.loops) > 0 && p.mentionsLocal(x, d.loops)
		}
	}
	obj := p.root(x)
	if obj == nil {
		return atRun, len(d.loops) > 0 && p.mentionsLocal(x, d.loops)
	}
	if obj.Parent() == p.types.Scope() || obj.Pkg() != p.types {
		return maybe, p.changesIn(obj, d, func(token.Pos) bool { return true })
	}
	if inLoop(obj.Pos(), d.loops) {
		return atRun, true
	}
	later := func(at token.Pos) bool { return at > d.at.Pos() && within(d.fn, at) || inLoop(at, d.loops) }
	return atRun, p.changesIn(obj, d, later) || p.isResult(d.fn, obj) && p.returnsValues(d.fn)
}

// changesIn reports whether a variable changes, in a way that matters to the deferred call, at a position that counts accepts.
func (p *pass) changesIn(obj types.Object, d deferred, counts func(token.Pos) bool) bool {
	return slices.ContainsFunc(p.changed[obj], func(c change) bool { return (c.whole || d.parts) && counts(c.at) })
}

func inLoop(at token.Pos, loops []ast.Node) bool {
	for _, loop := range loops {
		if within(loop, at) {
			return true
		}
	}
	return false
}

// mentionsLocal reports whether an expression contains a variable that is declared or changed in a loop.
func (p *pass) mentionsLocal(n ast.Node, loops []ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := p.info.Uses[id].(*types.Var); ok && !v.IsField() {
				found = found || inLoop(v.Pos(), loops)
				for _, c := range p.changed[v] {
					found = found || inLoop(c.at, loops)
				}
			}
		}
		return !found
	})
	return found
}

func (p *pass) isResult(fn ast.Node, obj types.Object) bool {
	results := functionType(fn).Results
	return results != nil && within(results, obj.Pos())
}

func functionType(fn ast.Node) *ast.FuncType {
	switch f := fn.(type) {
	case *ast.FuncDecl:
		return f.Type
	case *ast.FuncLit:
		return f.Type
	default:
		return &ast.FuncType{}
	}
}

func functionBody(fn ast.Node) *ast.BlockStmt {
	switch f := fn.(type) {
	case *ast.FuncDecl:
		return f.Body
	case *ast.FuncLit:
		return f.Body
	default:
		return nil
	}
}

// returnsValues reports whether a function has a return statement that sets its results.
func (p *pass) returnsValues(fn ast.Node) bool {
	found := false
	ast.Inspect(functionBody(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			found = found || len(n.Results) > 0
		}
		return !found
	})
	return found
}

// deferredLoops finds deferred function literals that use variables of the loop around them. The loader repairs most of those
// that do not call recover.
func deferredLoops(p *pass, n ast.Node) {
	d, ok := n.(*ast.DeferStmt)
	if !ok {
		return
	}
	lit, ok := ast.Unparen(d.Call.Fun).(*ast.FuncLit)
	_, loops := p.enclosing()
	if !ok || len(loops) == 0 || p.repaired(repair.Literal, d) {
		return
	}
	outer := loops[len(loops)-1]
	found := false
	ast.Inspect(lit.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !found {
			v, ok := p.info.Uses[id].(*types.Var)
			found = ok && !v.IsField() && within(outer, v.Pos()) && !within(lit, v.Pos())
		}
		return !found
	})
	if found {
		p.report(d, atRun, "defer-loop", "functions deferred in a loop all see the variables of the last iteration",
			"move the body of the loop to a function of its own, which defers one call")
	}
}

// deferredLiterals finds deferred variables that hold a function literal that calls recover.
func deferredLiterals(p *pass, n ast.Node) {
	d, ok := n.(*ast.DeferStmt)
	if !ok {
		return
	}
	fn, _ := p.enclosing()
	obj := p.root(d.Call.Fun)
	if fn == nil || obj == nil || !within(fn, obj.Pos()) || p.origin[obj] == nil || p.inside(p.origin[obj], fn) {
		return
	}
	if p.recovers(p.origin[obj]) {
		p.report(d, atRun, "defer-recover", "recover finds no panic in a deferred function literal that is called through a variable",
			"write the literal after defer, or make it a function of the package")
	}
}

// recovers reports whether a node contains a call of recover.
func (p *pass) recovers(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "recover" {
			_, builtin := p.info.Uses[id].(*types.Builtin)
			found = found || builtin
		}
		return !found
	})
	return found
}

// inside reports whether an expression is located in a function literal within fn.
func (p *pass) inside(x ast.Expr, fn ast.Node) bool {
	found := false
	ast.Inspect(functionBody(fn), func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != x && within(lit, x.Pos()) && !within(x, lit.Pos()) {
			found = true
		}
		return !found
	})
	return found
}

// methodValues finds methods taken from a variable that will have changed when the methods are called.
func methodValues(p *pass, n ast.Node) {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return
	}
	s := p.info.Selections[sel]
	if s == nil || s.Kind() != types.MethodVal || p.interpreted(s.Recv()) == nil {
		return
	}
	if call, ok := p.parent(1).(*ast.CallExpr); ok && call.Fun == sel {
		return
	}
	fn, loops := p.enclosing()
	obj := p.root(sel.X)
	if fn == nil || obj == nil || obj.Parent() == p.types.Scope() {
		return
	}
	stale := inLoop(obj.Pos(), loops)
	for _, c := range p.changed[obj] {
		stale = stale || c.at > n.Pos() && within(fn, c.at) && (c.whole || !isPointer(p.typeOf(sel.X)))
	}
	if stale {
		p.report(n, atRun, "method-value", "the interpreter evaluates the receiver of a method value when it is called, and the variable has changed by then",
			"write a function literal, or copy the variable before")
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// counters finds variables of a for clause that are captured and cannot be copied for each iteration, because the body changes
// them or takes their address.
func counters(p *pass, n ast.Node) {
	loop, ok := n.(*ast.ForStmt)
	if !ok {
		return
	}
	init, ok := loop.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return
	}
	for _, left := range init.Lhs {
		id, ok := left.(*ast.Ident)
		if !ok || p.info.Defs[id] == nil {
			continue
		}
		if captured, address := p.uses(loop.Body, p.info.Defs[id]); address || captured && !p.repaired(repair.Variable, id) {
			p.report(id, atRun, "loop-variable", "the interpreter has one "+id.Name+" for all iterations here, because the body changes it or takes its address",
				"copy it in the body: x := "+id.Name+", and use x")
		}
	}
}

// uses reports how the body of a loop uses the loop's variable. It assumes that a function does not keep an address that it is
// given.
func (p *pass) uses(body *ast.BlockStmt, obj types.Object) (captured, address bool) {
	lent := map[ast.Expr]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ast.Inspect(n, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				captured = captured || ok && p.info.Uses[id] == obj
				return true
			})
		case *ast.CallExpr:
			if p.callee(n) != nil {
				for _, arg := range n.Args {
					lent[arg] = true
				}
			}
		case *ast.UnaryExpr:
			address = address || n.Op == token.AND && p.root(n.X) == obj && !lent[n]
		}
		return true
	})
	return captured, address
}
