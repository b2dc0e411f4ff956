package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// rangeStrings finds loops over the offsets of a string. The loader repairs those over a parameter or a literal, and those whose
// body reads a part of the string.
func rangeStrings(p *pass, n ast.Node) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Key == nil || loop.Value != nil || loop.Tok != token.DEFINE {
		return
	}
	if key, ok := loop.Key.(*ast.Ident); ok && key.Name == "_" {
		return
	}
	basic, ok := p.typeOf(loop.X).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 || p.repairedOffsets(loop) {
		return
	}
	p.report(loop, maybe, "range-string", "the interpreter counts the characters of the string here, while Go counts bytes",
		"write for i, _ := range s")
}

func (p *pass) repairedOffsets(loop *ast.RangeStmt) bool {
	if _, literal := loop.X.(*ast.BasicLit); literal {
		return true
	}
	if id, ok := loop.X.(*ast.Ident); ok {
		v, ok := p.object(id).(*types.Var)
		if ok && p.isParameter(v) && types.Identical(v.Type(), types.Typ[types.String]) {
			return true
		}
	}
	list := types.ExprString(loop.X)
	found := false
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			found = found || types.ExprString(n.X) == list
		case *ast.SliceExpr:
			found = found || types.ExprString(n.X) == list
		}
		return !found
	})
	return found && isPlain(loop.X)
}
