package repair

import (
	"fmt"
	"go/ast"
	"strings"
)

// results sets the named results of a function to zero at its start. The interpreter uses the caller's destination as storage
// for a result, with its current content: in a loop, the result of the previous call. A forwarded result gets parentheses, so
// that it has its own storage: otherwise the called function would first overwrite the result of this function.
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

// isPlainCall reports whether an expression calls something that has a name, except built-in functions.
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
