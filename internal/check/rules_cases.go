package check

import (
	"fmt"
	"go/ast"
	"go/types"
)

// anyCase looks at a case of a type switch that names its value and is over an any. The interpreter wraps values of types that
// have methods, and does not look into those.
func anyCase(p *pass, at ast.Expr, own *types.Named, s typeSwitch) {
	if !isEmpty(s.over) || types.NewMethodSet(types.NewPointer(own)).Len() == 0 || p.fromLibrary(s.subject) {
		return
	}
	p.report(at, maybe, "case-own", fmt.Sprintf("case %s does not match in the interpreter, because the value switched over is an any and the type has methods", s.text),
		fmt.Sprintf("assert it before the switch: if x, ok := v.(%s); ok { … }; or give the value to a function of this file as a parameter of type any, and switch over that", s.text))
}

// fromLibrary reports whether a value comes from compiled code, which holds none of the interpreter's wrappers.
func (p *pass) fromLibrary(x ast.Expr) bool {
	switch e := ast.Unparen(x).(type) {
	case *ast.Ident:
		origin := p.origin[p.object(e)]
		return origin != nil && p.fromLibrary(origin)
	case *ast.SelectorExpr:
		obj := p.info.Uses[e.Sel]
		return obj != nil && obj.Pkg() != nil && p.source.byPath[obj.Pkg().Path()] == nil
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "recover" {
			return true
		}
		fn := p.callee(e)
		return fn != nil && fn.Pkg() != nil && p.source.byPath[fn.Pkg().Path()] == nil
	default:
		return false
	}
}

// asserted reports whether the loader turns a type switch into assertions: one over a parameter of type any that is never assigned
// to, without a label, whose cases are concrete types of the file or built in.
func (p *pass) asserted(s *ast.TypeSwitchStmt) bool {
	x, _ := subject(s)
	id, ok := ast.Unparen(x).(*ast.Ident)
	if !ok || s.Init != nil {
		return false
	}
	if _, labelled := p.parent(1).(*ast.LabeledStmt); labelled {
		return false
	}
	v, ok := p.object(id).(*types.Var)
	if !ok || !p.isParameter(v) || len(p.changed[v]) > 0 {
		return false
	}
	if _, plain := types.Unalias(v.Type()).(*types.Interface); !plain {
		return false
	}
	for _, clause := range s.Body.List {
		cases, ok := clause.(*ast.CaseClause)
		if !ok {
			return false
		}
		for _, c := range cases.List {
			if !p.assertable(c) {
				return false
			}
		}
	}
	return true
}

// assertable reports whether the loader can assert the type of a case.
func (p *pass) assertable(c ast.Expr) bool {
	if p.info.Types[c].IsNil() {
		return true
	}
	t := p.typeOf(c)
	own := p.interpreted(t)
	if own == nil {
		_, named := types.Unalias(t).(*types.Named)
		return !named && !types.IsInterface(t)
	}
	if isPointer(t) {
		_, here := c.(*ast.StarExpr)
		return here
	}
	file := p.source.fset.Position(p.stack[0].Pos()).Filename
	return !types.IsInterface(t) && p.source.fset.Position(own.Obj().Pos()).Filename == file
}

// isParameter reports whether a variable is a parameter of a function around the node that is looked at.
func (p *pass) isParameter(v *types.Var) bool {
	for _, n := range p.stack {
		var params *ast.FieldList
		switch n := n.(type) {
		case *ast.FuncDecl:
			params = n.Type.Params
		case *ast.FuncLit:
			params = n.Type.Params
		default:
			continue
		}
		if within(params, v.Pos()) {
			return true
		}
	}
	return false
}
