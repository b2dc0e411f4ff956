package check

import (
	"go/ast"
	"go/types"
)

// surveyKept records variables that a statement stores elsewhere. A parameter that is stored outlives the call.
func (p *pass) surveyKept(n ast.Node) {
	keep := func(x ast.Expr) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && p.info.Uses[id] != nil {
			p.keeps[p.info.Uses[id]] = true
		}
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		if p.isAppend(n) {
			for _, x := range n.Args[1:] {
				keep(x)
			}
		}
	case *ast.SendStmt:
		keep(n.Value)
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			obj := p.root(left)
			_, local := ast.Unparen(left).(*ast.Ident)
			if len(n.Lhs) == len(n.Rhs) && obj != nil && (!local || obj.Parent() == p.types.Scope()) {
				keep(n.Rhs[i])
			}
		}
	}
}

// isAppend reports whether a call appends values that it lists one by one.
func (p *pass) isAppend(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && p.info.Uses[id] == types.Universe.Lookup("append") && !call.Ellipsis.IsValid() && len(call.Args) > 1
}

// arguments checks the values that a call passes to a function of the same package that keeps them.
func (s storing) arguments(call *ast.CallExpr) {
	fn := s.callee(call)
	if fn == nil || fn.Pkg() != s.types || call.Ellipsis.IsValid() {
		return
	}
	params := fn.Signature().Params()
	for i, x := range call.Args {
		if i >= params.Len() || fn.Signature().Variadic() && i == params.Len()-1 {
			return
		}
		if param := params.At(i); s.keeps[param] && types.IsInterface(param.Type()) {
			s.store(x, param.Type())
		}
	}
}
