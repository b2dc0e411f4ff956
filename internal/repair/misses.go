package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// misses lets a variable be zero after v, ok := x.(T) or v, ok := m[k] where there is none. The interpreter leaves it as it is, and in a loop
// that is what it was in the iteration before. An assertion is made by a function, whose variables are new each time. An element
// is looked up twice: alone it is zero where there is none.
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

// twice reports whether an element that is assigned can be looked up twice.
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

// reuse notes the assignments of a loop whose variables are the same in each iteration.
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

// taken notes the assignment before a condition that is about nothing but its success, and so is the variable.
func (w *rewriter) taken(n *ast.IfStmt) {
	assign, ok := n.Init.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != 2 || n.Else != nil || assign.Tok != token.DEFINE {
		return
	}
	if id, ok := n.Cond.(*ast.Ident); ok && id.Name == rootIdent(assign.Lhs[1]) {
		w.whole[assign] = true
	}
}

// isSteady reports whether an expression can be written twice, calls of functions of the library included that always return the same.
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
