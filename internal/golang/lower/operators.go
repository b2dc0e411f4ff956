package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

func (f *fn) unary(e *ast.UnaryExpr) string {
	switch e.Op {
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok {
			return "&" + f.composite(lit, f.typeOf(lit))
		}
		if id, ok := ast.Unparen(e.X).(*ast.Ident); ok && f.pointers[f.info.ObjectOf(id)] {
			return f.name(f.info.ObjectOf(id))
		}
		if f.hiddenPlace(e.X) {
			refuse(e.Pos(), "the address of a field whose type leads back to its struct cannot be interpreted; use the address of the struct")
		}
		if index, ok := ast.Unparen(e.X).(*ast.IndexExpr); ok {
			if _, ok := f.typeOf(index.X).Underlying().(*types.Pointer); ok {
				// The interpreter finds the elements of a slice only.
				return "&" + f.under(index.X) + "[:][" + f.expr(index.Index) + "]"
			}
		}
		return "&" + f.expr(e.X)
	case token.ARROW:
		return "(<-" + f.under(e.X) + ")"
	default:
		return e.Op.String() + f.operand(e.X)
	}
}

// operand lowers an operand so that operators beside it do not bind its parts.
func (f *fn) operand(e ast.Expr) string {
	x := f.expr(e)
	switch e.(type) {
	case *ast.BinaryExpr, *ast.UnaryExpr:
		return "(" + x + ")"
	}
	return x
}

func (f *fn) binary(e *ast.BinaryExpr) string {
	switch e.Op {
	case token.EQL, token.NEQ:
		return f.equal(e.X, e.Y, e.Op == token.NEQ)
	case token.LAND, token.LOR:
		return f.condition(e.X) + " " + e.Op.String() + " " + f.condition(e.Y)
	default:
	}
	return f.operand(e.X) + " " + e.Op.String() + " " + f.shiftCount(e.Op, e.Y)
}

// condition lowers an operand of && or ||. The interpreter panics at most composite literals there, so that one becomes a function.
func (f *fn) condition(e ast.Expr) string {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CompositeLit:
			found = true
		}
		return !found
	})
	if !found {
		return f.operand(e)
	}
	return "func() " + f.typ(types.Default(f.typeOf(e)), e.Pos()) + " { return " + f.expr(e) + " }()"
}

// shiftCount lowers the operand of a shift, whose constant may have a type such as float64, or another operand.
func (f *fn) shiftCount(op token.Token, y ast.Expr) string {
	switch op {
	case token.SHL, token.SHR, token.SHL_ASSIGN, token.SHR_ASSIGN:
		if tv := f.info.Types[y]; tv.Value != nil && !isInteger(types.Default(f.typeOf(y))) {
			return constant.ToInt(tv.Value).ExactString()
		}
		if inner, ok := ast.Unparen(y).(*ast.BinaryExpr); ok && (inner.Op == token.SHL || inner.Op == token.SHR) {
			if tv := f.info.Types[inner.X]; tv.Value != nil && f.info.Types[y].Value == nil {
				// The interpreter panics at a constant without a type that is shifted by a variable here.
				t := types.Default(f.typeOf(inner.X))
				return fmt.Sprintf("(%s(%s) %s %s)", f.typ(t, y.Pos()), constant.ToInt(tv.Value).ExactString(), inner.Op, f.shiftCount(inner.Op, inner.Y))
			}
		}
	default:
	}
	return f.operand(y)
}

// equal lowers a comparison.
func (f *fn) equal(a, b ast.Expr, not bool) string {
	if f.info.Types[a].IsNil() {
		a, b = b, a
	}
	op := " == "
	bang := ""
	if not {
		op, bang = " != ", "!"
	}
	ta := f.typeOf(a)
	if f.info.Types[b].IsNil() {
		if call, ok := ast.Unparen(a).(*ast.CallExpr); ok && isInterface(ta) && f.info.Types[call.Fun].IsType() {
			// The interpreter does not run a conversion to an interface beside && and ||.
			return fmt.Sprintf("%s%s.Equal(%s, nil)", bang, boxAlias, f.expr(a))
		}
		return f.operand(a) + op + "nil"
	}
	tb := f.typeOf(b)
	return f.equalTexts(ta, tb, func(t types.Type) string { return f.conv(a, t) }, func(t types.Type) string { return f.conv(b, t) }, func() string { return f.operand(a) + op + f.operand(b) }, bang)
}

// equalTexts compares two values. plain returns the comparison by the operator.
func (f *fn) equalTexts(ta, tb types.Type, a, b func(types.Type) string, plain func() string, bang string) string {
	if isInterface(ta) || isInterface(tb) {
		return fmt.Sprintf("%s%s.Equal(%s, %s)", bang, boxAlias, a(anyType), b(anyType))
	}
	switch x := ta.Underlying().(type) {
	case *types.Struct, *types.Array:
		return fmt.Sprintf("%s%s.Same(%s, %s)", bang, boxAlias, a(ta), b(tb))
	case *types.Chan:
		// The interpreter compares only channels of the same direction.
		switch y, ok := tb.Underlying().(*types.Chan); {
		case !ok || x.Dir() == y.Dir():
		case x.Dir() == types.SendRecv:
			return fmt.Sprintf("%s((%s)(%s) == %s)", bang, f.typ(tb, token.NoPos), a(ta), b(tb))
		default:
			return fmt.Sprintf("%s(%s == (%s)(%s))", bang, a(ta), f.typ(ta, token.NoPos), b(tb))
		}
	}
	return plain()
}
