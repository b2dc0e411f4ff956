package check

import (
	"fmt"
	"go/ast"
	"go/types"
)

// errorsAs finds targets that compiled code cannot set.
func errorsAs(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok || !p.calls(call, "errors", "As") || len(call.Args) != 2 {
		return
	}
	if ptr, ok := p.typeOf(call.Args[1]).Underlying().(*types.Pointer); ok && p.interpreted(ptr.Elem()) != nil {
		p.report(n, atRun, "errors-as", "errors.As panics with a type of the plugin's own",
			"compare messages, or use errors.Is with a variable made by errors.New")
	}
}

// errorArguments finds errors of an interpreted type that are passed to compiled functions, which do not see them as errors.
func errorArguments(p *pass, n ast.Node) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return
	}
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return
	}
	path := fn.Pkg().Path()
	if path != "fmt" && path != "log" && path != "errors" || fn.Name() == "As" {
		return
	}
	if path == "errors" && fn.Name() == "Is" && len(call.Args) == 2 {
		if p.ownError(call.Args[1]) {
			p.report(n, atRun, "compare-error", "errors.Is panics or finds nothing with an error of the plugin's own type",
				"make the error with errors.New, or compare what Error returns")
		}
		return
	}
	for _, arg := range call.Args {
		t := p.typeOf(arg)
		if !types.IsInterface(t) && p.interpreted(t) != nil && types.Implements(t, errorInterface) {
			p.report(arg, atRun, "error-argument", fmt.Sprintf("%s.%s does not see that this is an error, or panics", path, fn.Name()),
				"give it an error: var err error = …, then pass err")
		}
	}
}

// errorValues finds struct values that become an error at a place where the interpreter loses their methods.
func errorValues(p *pass, n ast.Node) {
	check := func(to types.Type, x ast.Expr) {
		lit, ok := ast.Unparen(x).(*ast.CompositeLit)
		if !ok || !isError(to) || p.interpreted(p.typeOf(lit)) == nil {
			return
		}
		name := types.TypeString(p.typeOf(lit), types.RelativeTo(p.types))
		p.report(x, atRun, "error-value", fmt.Sprintf("the error has no method Error in the interpreter when a %s is assigned like this", name),
			fmt.Sprintf("give the method Error a pointer receiver and write &%s{…}", name))
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				check(p.typeOf(left), n.Rhs[i])
			}
		}
	case *ast.ValueSpec:
		for i, name := range n.Names {
			if obj := p.info.Defs[name]; obj != nil && len(n.Values) == len(n.Names) {
				check(obj.Type(), n.Values[i])
			}
		}
	case *ast.CallExpr:
		if tv := p.info.Types[n.Fun]; tv.IsType() && len(n.Args) == 1 {
			check(tv.Type, n.Args[0])
		}
	}
}

// errorMethods finds the methods that errors.Is and errors.As would call on an error.
func errorMethods(p *pass, n ast.Node) {
	fn, ok := n.(*ast.FuncDecl)
	if !ok || fn.Recv == nil || fn.Name.Name != "Is" && fn.Name.Name != "As" && fn.Name.Name != "Unwrap" {
		return
	}
	obj, ok := p.info.Defs[fn.Name].(*types.Func)
	if !ok || obj.Signature().Recv() == nil {
		return
	}
	t := obj.Signature().Recv().Type()
	if types.Implements(t, errorInterface) || types.Implements(types.NewPointer(t), errorInterface) {
		p.report(fn.Name, atRun, "error-method", fmt.Sprintf("errors.Is and errors.As do not see the method %s of an interpreted type", fn.Name.Name),
			`wrap with fmt.Errorf("…: %w", err) instead of a type of your own`)
	}
}

// nilReturns finds pointers that may be nil and are returned as an interface.
func nilReturns(p *pass, n ast.Node) {
	ret, ok := n.(*ast.ReturnStmt)
	if !ok {
		return
	}
	fn, _ := p.enclosing()
	var results *types.Tuple
	switch f := fn.(type) {
	case *ast.FuncDecl:
		if obj, ok := p.info.Defs[f.Name].(*types.Func); ok {
			results = obj.Signature().Results()
		}
	case *ast.FuncLit:
		if sig, ok := p.typeOf(f).(*types.Signature); ok {
			results = sig.Results()
		}
	}
	if results.Len() != len(ret.Results) {
		return
	}
	for i, x := range ret.Results {
		id, ok := ast.Unparen(x).(*ast.Ident)
		if !ok || p.info.Types[x].IsNil() || !types.IsInterface(results.At(i).Type()) || isEmpty(results.At(i).Type()) {
			continue
		}
		ptr, ok := p.typeOf(x).(*types.Pointer)
		if ok && p.interpreted(ptr) != nil && !p.alwaysSet(id) {
			p.report(x, maybe, "typed-nil", "a nil pointer returned as an interface is nil in the interpreter, and not nil in Go",
				"return nil by itself where there is nothing to return")
		}
	}
}

func isEmpty(t types.Type) bool {
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.NumMethods() == 0
}

// alwaysSet reports whether a variable was declared with the address of something and never changed afterwards.
func (p *pass) alwaysSet(id *ast.Ident) bool {
	obj := p.object(id)
	u, ok := p.origin[obj].(*ast.UnaryExpr)
	return ok && u.Op.String() == "&" && len(p.changed[obj]) == 0
}
