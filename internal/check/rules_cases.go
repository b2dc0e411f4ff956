package check

import (
	"fmt"
	"go/ast"
	"go/types"
)

// anyCase checks a case of a type switch that names its value and switches over an any. The interpreter wraps values of types
// that have methods, and such a switch does not unwrap them.
func anyCase(p *pass, at ast.Expr, own *types.Named, s typeSwitch) {
	if !isEmpty(s.over) || types.NewMethodSet(types.NewPointer(own)).Len() == 0 || p.fromLibrary(s.subject) {
		return
	}
	p.report(at, maybe, "case-own", fmt.Sprintf("case %s does not match in the interpreter, because the value switched over is an any and the type has methods", s.text),
		fmt.Sprintf("assert it before the switch: if x, ok := v.(%s); ok { … }; or give the value to a function of this file as a parameter of type any, and switch over that", s.text))
}

// fromLibrary reports whether a value comes from compiled code, whose values are not wrapped by the interpreter.
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
