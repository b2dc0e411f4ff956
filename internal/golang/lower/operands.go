package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// operand is one of the operands of an expression. to is the type to which its value is converted, if that is known.
type operand struct {
	x  *ast.Expr
	to types.Type
}

// slots returns the operands of an expression that Go evaluates with it.
func (f *fn) slots(e ast.Expr) []operand {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return operands(&e.X)
	case *ast.StarExpr:
		return operands(&e.X)
	case *ast.UnaryExpr:
		return operands(&e.X)
	case *ast.TypeAssertExpr:
		return operands(&e.X)
	case *ast.KeyValueExpr:
		return operands(&e.Value)
	case *ast.BinaryExpr:
		if f.early(e) {
			return operands(&e.X)
		}
		return operands(&e.X, &e.Y)
	case *ast.SelectorExpr:
		if f.info.Selections[e] != nil {
			return operands(&e.X)
		}
	case *ast.IndexExpr:
		if !f.info.Types[e.Index].IsType() {
			return operands(&e.X, &e.Index)
		}
	case *ast.SliceExpr:
		return slices.DeleteFunc(operands(&e.X, &e.Low, &e.High, &e.Max), func(o operand) bool { return *o.x == nil })
	case *ast.CallExpr:
		return f.callSlots(e)
	case *ast.CompositeLit:
		if !f.early(e) {
			return operands(pointersTo(e.Elts)...)
		}
	}
	return nil
}

func operands(list ...*ast.Expr) []operand {
	var out []operand
	for _, x := range list {
		out = append(out, operand{x, nil})
	}
	return out
}

// callSlots is slots for a call or a conversion.
func (f *fn) callSlots(e *ast.CallExpr) (all []operand) {
	tv := f.info.Types[e.Fun]
	if tv.IsType() {
		return []operand{{&e.Args[0], f.typeOf(e)}}
	}
	sig, _ := f.typeOf(e.Fun).Underlying().(*types.Signature)
	if tv.IsBuiltin() {
		sig = nil
	} else {
		all = operands(&e.Fun)
	}
	for i := range e.Args {
		o := operand{&e.Args[i], nil}
		switch {
		case sig == nil || len(e.Args) == 1 && sig.Params().Len() != 1 && !sig.Variadic():
		case !sig.Variadic() || i < sig.Params().Len()-1:
			o.to = sig.Params().At(i).Type()
		case !e.Ellipsis.IsValid():
			o.to = sig.Params().At(sig.Params().Len() - 1).Type().Underlying().(*types.Slice).Elem() //nolint:forcetypeassert // a variadic parameter is a slice
		}
		all = append(all, o)
	}
	return all
}

// copied reports whether an operand gets a place in the order because Go keeps its value in memory to make an interface of it.
func (f *fn) copied(o operand) bool {
	if o.to == nil || !isInterface(o.to) {
		return false
	}
	switch x := (*o.x).(type) {
	case *ast.FuncLit, *ast.Ident:
		return false
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return false
		}
	}
	t := f.typeOf(*o.x)
	if isInterface(t) || f.info.Types[*o.x].Addressable() {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		small := []types.BasicKind{types.Bool, types.UntypedBool, types.Int8, types.Uint8, types.Complex64, types.Complex128}
		return slices.Contains(small, u.Kind())
	case *types.Slice, *types.Tuple:
		return false
	}
	return true
}

func pointersTo(list []ast.Expr) (out []*ast.Expr) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// duplicate returns a copy of an expression whose operands can be replaced.
func (f *fn) duplicate(e ast.Expr) ast.Expr {
	var c ast.Expr
	switch e := e.(type) {
	case *ast.ParenExpr:
		c = new(*e)
	case *ast.StarExpr:
		c = new(*e)
	case *ast.UnaryExpr:
		c = new(*e)
	case *ast.TypeAssertExpr:
		c = new(*e)
	case *ast.KeyValueExpr:
		c = new(*e)
	case *ast.BinaryExpr:
		c = new(*e)
	case *ast.SelectorExpr:
		sel := new(*e)
		f.info.Selections[sel] = f.info.Selections[e]
		c = sel
	case *ast.IndexExpr:
		c = new(*e)
	case *ast.SliceExpr:
		c = new(*e)
	case *ast.CallExpr:
		call := new(*e)
		call.Args = slices.Clone(e.Args)
		c = call
	case *ast.CompositeLit:
		lit := new(*e)
		lit.Elts = slices.Clone(e.Elts)
		c = lit
	}
	if tv, ok := f.info.Types[e]; ok {
		f.info.Types[c] = tv
	}
	return c
}
