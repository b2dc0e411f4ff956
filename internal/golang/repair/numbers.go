package repair

import (
	"go/ast"
	"go/token"
)

// constants converts computed constants to their declared type.
func (w *rewriter) constants(n *ast.GenDecl) {
	if n.Tok != token.CONST {
		return
	}
	for _, spec := range n.Specs {
		c, ok := spec.(*ast.ValueSpec)
		if !ok || c.Type == nil {
			continue
		}
		for _, x := range c.Values {
			switch ast.Unparen(x).(type) {
			case *ast.BinaryExpr, *ast.UnaryExpr:
				w.insert(x.Pos(), w.written(c.Type.Pos(), c.Type.End())+"(")
				w.insert(x.End(), ")")
			}
		}
	}
}

// typed converts a number beside a constant of package math to the type that the interpreter gives the constant.
func (w *rewriter) typed(x, beside ast.Expr) {
	if isFloat(x) && isMath(beside) {
		w.insert(x.Pos(), "float64(")
		w.insert(x.End(), ")")
	}
}

// isFloat reports whether an expression consists of literals, one of which has a point or an exponent.
func isFloat(x ast.Expr) bool {
	point, literals := false, true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			point = point || n.Kind == token.FLOAT
			literals = literals && (n.Kind == token.FLOAT || n.Kind == token.INT)
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.BinaryExpr, nil:
		default:
			literals = false
		}
		return literals
	})
	return point && literals
}

// isMath reports whether an expression is a constant of package math, possibly with a sign.
func isMath(x ast.Expr) bool {
	x = ast.Unparen(x)
	if u, ok := x.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		x = ast.Unparen(u.X)
	}
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "math"
}

// shifted gives a shifted number, as in flags & (1 << n), the type of the other operand: 1 becomes (flags-flags+1).
func (w *rewriter) shifted(n *ast.BinaryExpr) {
	if n.Op == token.SHL || n.Op == token.SHR || n.Op == token.LAND || n.Op == token.LOR {
		return
	}
	for _, side := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		number, like := shiftedNumber(side[0]), typedLeaf(side[1])
		if number == nil || like == nil {
			continue
		}
		written := w.written(like.Pos(), like.End())
		w.insert(number.Pos(), "("+written+"-"+written+"+")
		w.repairs(Shift, ast.Unparen(side[0]))
		w.insert(number.End(), ")")
	}
}

// shiftedNumber returns the literal that an expression shifts, or nil.
func shiftedNumber(x ast.Expr) *ast.BasicLit {
	shift, ok := ast.Unparen(x).(*ast.BinaryExpr)
	if !ok || shift.Op != token.SHL {
		return nil
	}
	if _, constant := ast.Unparen(shift.Y).(*ast.BasicLit); constant {
		return nil
	}
	lit, ok := ast.Unparen(shift.X).(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return nil
	}
	return lit
}

// typedLeaf returns a variable, or a part of one, that gives an expression its type. The result can be written twice.
func typedLeaf(x ast.Expr) ast.Expr {
	switch e := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		if isRepeatable(e) {
			return e
		}
	case *ast.CallExpr:
		if isBuiltin(e, "uint", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "byte", "rune", "uintptr") &&
			len(e.Args) == 1 && isRepeatable(e.Args[0]) {
			return e
		}
	case *ast.BinaryExpr:
		if e.Op.Precedence() <= token.EQL.Precedence() {
			return nil
		}
		if leaf := typedLeaf(e.X); leaf != nil || e.Op == token.SHL || e.Op == token.SHR {
			return leaf
		}
		return typedLeaf(e.Y)
	}
	return nil
}

// isRepeatable reports whether an expression can be written twice: it consists of variables, with numbers as indexes.
func isRepeatable(x ast.Expr) bool {
	repeatable := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.BasicLit, *ast.BinaryExpr, *ast.ParenExpr:
		default:
			repeatable = false
		}
		return repeatable
	})
	return repeatable
}
