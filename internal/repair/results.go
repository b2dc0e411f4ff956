package repair

import (
	"fmt"
	"go/ast"
	"strings"
)

// results lets a function begin with its named results at zero. The interpreter gives a result the place where the caller wants it,
// with what is there: in a loop, what the call before returned. A result that is forwarded gets parentheses, so that it has a place
// of its own: else the function called would begin by overwriting this one's.
func (w *rewriter) results(t *ast.FuncType, block *ast.BlockStmt, returns []*ast.ReturnStmt) {
	if t.Results == nil {
		return
	}
	var zeros strings.Builder
	named := 0
	for _, field := range t.Results.List {
		kind := w.written(field.Type.Pos(), field.Type.End())
		for _, name := range field.Names {
			named++
			if name.Name == "_" || strings.Contains(kind, "\n") {
				continue
			}
			zero := w.fresh(name.Pos())
			fmt.Fprintf(&zeros, " var %s %s; %s = %s;", zero, kind, name.Name, zero)
		}
	}
	if zeros.Len() > 0 {
		w.insert(block.Lbrace+1, zeros.String())
	}
	for _, r := range returns {
		if named == 1 && len(r.Results) == 1 && isPlainCall(r.Results[0]) {
			w.wrap(r.Results[0])
		}
	}
}

// isPlainCall reports whether an expression calls something that has a name, other than a built-in function.
func isPlainCall(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok || isBuiltin(call, "append", "cap", "complex", "copy", "imag", "len", "make", "max", "min", "new", "real", "recover") {
		return false
	}
	switch call.Fun.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return true
	default:
		return false
	}
}
