package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/idelchi/aura/internal/repair"
)

// rangeStrings finds loops over the offsets of a string. The loader repairs loops over a parameter or a literal, and loops
// whose body reads a part of the string.
func rangeStrings(p *pass, n ast.Node) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Key == nil || loop.Value != nil || loop.Tok != token.DEFINE {
		return
	}
	if key, ok := loop.Key.(*ast.Ident); ok && key.Name == "_" {
		return
	}
	basic, ok := p.typeOf(loop.X).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsString == 0 || p.repaired(repair.Offsets, loop) {
		return
	}
	p.report(loop, maybe, "range-string", "the interpreter counts the characters of the string here, while Go counts bytes",
		"write for i, _ := range s")
}
