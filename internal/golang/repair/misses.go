package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// misses sets a variable to zero after v, ok := x.(T) or v, ok := m[k] if there is no value. The interpreter leaves the
// variable unchanged; in a loop it keeps the value of the previous iteration. An assertion is made by a function, whose
// variables are new each time. An element is looked up twice: a lookup without ok gives zero if there is no element.
func (w *rewriter) misses(n *ast.AssignStmt) {
	if len(n.Lhs) != 2 || len(n.Rhs) != 1 || !w.reused[n] && n.Tok != token.ASSIGN {
		return
	}
	value, ok := n.Lhs[0].(*ast.Ident)
	if !ok || value.Name == "_" || mentionsIdent(n.Rhs[0], "recover") {
		return
	}
	name := w.fresh(n.Pos())
	switch x := n.Rhs[0].(type) {
	case *ast.TypeAssertExpr:
		written := w.written(x.Type.Pos(), x.Type.End())
		if strings.Contains(written, "\n") || w.writtenOut(x.Type) != "" {
			return
		}
		w.insert(x.Pos(), "func() ("+written+", bool) { "+name+", "+name+"_ok := ")
		w.repairs(Miss, n)
		w.closing = append(w.closing, Edit{at: int(x.End() - w.start), insert: "; return " + name + ", " + name + "_ok }()"})
	case *ast.IndexExpr:
		if n.Tok == token.ASSIGN || !w.twice(n, x) {
			return
		}
		w.insert(x.Pos(), "(")
		w.insert(x.End(), "), func() bool { _, "+name+" := "+w.written(x.Pos(), x.End())+"; return "+name+" }()")
		w.repairs(Miss, n)
	}
}

// twice reports whether an assigned element can be looked up twice.
func (w *rewriter) twice(n *ast.AssignStmt, x *ast.IndexExpr) bool {
	for _, left := range n.Lhs {
		if _, ok := left.(*ast.Ident); !ok || mentionsIdent(x, rootIdent(left)) {
			return false
		}
	}
	return isSteady(x) && !strings.Contains(w.written(n.Pos(), n.End()), "\n")
}

// lookups does what misses does for the statements v, ok = m[k] of a block.
func (w *rewriter) lookups(block []ast.Stmt) {
	for _, stmt := range block {
		n, ok := stmt.(*ast.AssignStmt)
		if !ok || n.Tok != token.ASSIGN || len(n.Lhs) != 2 || len(n.Rhs) != 1 {
			continue
		}
		x, ok := n.Rhs[0].(*ast.IndexExpr)
		if ok && w.twice(n, x) && rootIdent(n.Lhs[0]) != "_" {
			written := w.written(x.Pos(), x.End())
			w.replace(n.Pos(), n.End(), rootIdent(n.Lhs[0])+" = "+written+"; _, "+rootIdent(n.Lhs[1])+" = "+written)
			w.repairs(Miss, n)
		}
	}
}

// reuse records the assignments of a loop whose variables are shared by all iterations.
func (w *rewriter) reuse(loop *ast.BlockStmt) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			w.taken(n)
		case *ast.AssignStmt:
			w.reused[n] = !w.whole[n]
		}
		return true
	})
}

// taken records the assignment of an if statement whose condition is only the success of the assignment, so that the variable
// is read only on success.
func (w *rewriter) taken(n *ast.IfStmt) {
	assign, ok := n.Init.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || n.Else != nil || assign.Tok != token.DEFINE {
		return
	}
	if id, ok := n.Cond.(*ast.Ident); ok && id.Name == rootIdent(assign.Lhs[1]) {
		w.whole[assign] = true
	}
}

// isSteady reports whether an expression can be written twice. It accepts calls of library functions that always return the
// same result.
func isSteady(x ast.Expr) bool {
	steady := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.BasicLit:
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			steady = steady && ok && slices.Contains([]string{"filepath", "path", "strconv", "strings"}, rootIdent(sel)) && !n.Ellipsis.IsValid()
		default:
			steady = false
		}
		return steady
	})
	return steady
}
