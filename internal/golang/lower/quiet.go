package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// changes reports whether an expression calls or receives something that may change a variable that is read beside it.
func (f *fn) changes(e ast.Node) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			found = found || f.callChanges(n)
		}
		return !found
	})
	return found
}

// callChanges is changes for a call without its arguments.
func (f *fn) callChanges(e *ast.CallExpr) bool {
	fun := ast.Unparen(e.Fun)
	tv := f.info.Types[fun]
	if tv.IsType() {
		return false
	}
	if tv.IsBuiltin() {
		id, ok := fun.(*ast.Ident)
		return ok && (id.Name == "copy" || id.Name == "delete" || id.Name == "clear" || id.Name == "close")
	}
	obj, _ := f.static(fun)
	switch {
	case obj == nil:
		return true
	case obj.Pkg() == nil:
		return false // the method Error of error
	case f.sourceOf(obj) != nil:
		return !f.quiet(obj)
	}
	if recv := obj.Signature().Recv(); recv != nil && isInterface(recv.Type()) {
		return true
	}
	return slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return f.reaches(a) })
}

// reaches reports whether a function of the library can change something of the plugin by way of an argument.
func (f *fn) reaches(e ast.Expr) bool {
	if f.fixed(e) {
		return false
	}
	t := f.typeOf(e)
	switch t.Underlying().(type) {
	case *types.Basic:
		n, ok := types.Unalias(t).(*types.Named)
		return ok && f.own(n) && n.NumMethods() > 0
	case *types.Slice, *types.Array, *types.Map:
		return false
	case *types.Struct:
		n, ok := types.Unalias(t).(*types.Named)
		return !ok || f.own(n)
	}
	return !types.Identical(t, types.Universe.Lookup("error").Type())
}

// quiet reports whether a declared function changes nothing but its own variables, and calls only such functions.
func (p *program) quiet(obj *types.Func) bool {
	obj = obj.Origin()
	if quiet, known := p.quietFuncs[obj]; known {
		return quiet
	}
	d, src := p.decls[obj], p.sourceOf(obj)
	if d == nil || d.Body == nil || src == nil {
		return false
	}
	p.quietFuncs[obj] = true // where it calls itself
	f := &fn{gen: &gen{program: p, pkg: src}, src: src, info: src.Info}
	p.quietFuncs[obj] = !f.disturbs(d.Body)
	return p.quietFuncs[obj]
}

// disturbs reports whether statements change something other than variables of the function.
func (f *fn) disturbs(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Lhs, f.outside)
		case *ast.IncDecStmt:
			found = found || f.outside(n.X)
		case *ast.SendStmt, *ast.GoStmt, *ast.SelectStmt, *ast.FuncLit:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.RangeStmt:
			switch f.typeOf(n.X).Underlying().(type) {
			case *types.Chan, *types.Signature:
				found = true
			}
			found = found || n.Key != nil && f.outside(n.Key) || n.Value != nil && f.outside(n.Value)
		case *ast.CallExpr:
			found = found || f.callChanges(n)
		}
		return !found
	})
	return found
}

// outside reports whether a place that is assigned to may be one outside of the function.
func (f *fn) outside(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := f.info.ObjectOf(e).(*types.Var)
		return e.Name != "_" && ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
	case *ast.SelectorExpr:
		s := f.info.Selections[e]
		return s == nil || s.Indirect() || isPointer(f.typeOf(e.X)) || f.outside(e.X)
	case *ast.IndexExpr:
		_, array := f.typeOf(e.X).Underlying().(*types.Array)
		return !array || f.outside(e.X)
	}
	return true
}

// isShared reports whether a variable of the function is assigned in a function literal that does not declare it, or has its address taken.
func (f *fn) isShared(v *types.Var) bool {
	if f.within == nil {
		return true
	}
	if f.sharedVars[f.within] == nil {
		f.sharedVars[f.within] = f.findShared(f.within)
	}
	return f.sharedVars[f.within][v]
}

func (f *fn) findShared(d *ast.FuncDecl) map[types.Object]bool {
	found := map[types.Object]bool{}
	ast.PreorderStack(d, nil, func(n ast.Node, stack []ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				f.addAssigned(l, stack, found)
			}
		case *ast.IncDecStmt:
			f.addAssigned(n.X, stack, found)
		case *ast.RangeStmt:
			f.addAssigned(n.Key, stack, found)
			f.addAssigned(n.Value, stack, found)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				found[f.root(n.X)] = true
			}
		case *ast.SelectorExpr:
			if f.ofPlace(n) != nil {
				found[f.root(n.X)] = true
			}
		case *ast.SliceExpr:
			if _, array := f.typeOf(n.X).Underlying().(*types.Array); array {
				found[f.root(n.X)] = true
			}
		}
		return true
	})
	return found
}

// addAssigned adds a variable that a function literal around a statement assigns to but does not declare.
func (f *fn) addAssigned(l ast.Expr, stack []ast.Node, found map[types.Object]bool) {
	if l == nil {
		return
	}
	v := f.root(l)
	if v == nil {
		return
	}
	for _, n := range stack {
		if lit, ok := n.(*ast.FuncLit); ok && (v.Pos() < lit.Pos() || v.Pos() >= lit.End()) {
			found[v] = true
		}
	}
}
