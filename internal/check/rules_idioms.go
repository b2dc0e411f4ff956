package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// The loader repairs most of what the rules of this file are about; they find the rest.

// shifts finds shifted numbers that have another type than int from where they stand.
func shifts(p *pass, n ast.Node) {
	shift, ok := n.(*ast.BinaryExpr)
	if !ok || shift.Op != token.SHL || p.info.Types[shift].Value != nil || !p.isUntyped(shift.X) {
		return
	}
	t, ok := p.typeOf(shift).Underlying().(*types.Basic)
	if !ok || t.Info()&types.IsInteger == 0 || t.Kind() == types.Int || t.Info()&types.IsUntyped != 0 {
		return
	}
	up := 1
	for {
		if _, paren := p.parent(up).(*ast.ParenExpr); !paren {
			break
		}
		up++
	}
	wrong := false
	switch around := p.parent(up).(type) {
	case *ast.CallExpr:
		wrong = !p.info.Types[around.Fun].IsType()
	case *ast.CompositeLit, *ast.KeyValueExpr, *ast.SendStmt:
		wrong = true
	case *ast.BinaryExpr:
		wrong = t.Info()&types.IsUnsigned != 0 && !p.besideVariable(around, shift)
	}
	if wrong {
		p.report(n, atRun, "shift", "the interpreter takes the shifted number for an int", "write its type: "+t.Name()+"(1) << n")
	}
}

// isUntyped reports whether an expression is a literal or the name of a constant without a type.
func (p *pass) isUntyped(x ast.Expr) bool {
	switch e := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		c, ok := p.object(e).(*types.Const)
		if !ok {
			return false
		}
		b, ok := c.Type().(*types.Basic)
		return ok && b.Info()&types.IsUntyped != 0
	default:
		return false
	}
}

// besideVariable reports whether the loader finds a variable to take the type of a shifted number from.
func (p *pass) besideVariable(around, shift *ast.BinaryExpr) bool {
	if _, literal := ast.Unparen(shift.X).(*ast.BasicLit); !literal {
		return false
	}
	for _, outer := range p.stack {
		if _, deferred := outer.(*ast.DeferStmt); deferred {
			return false
		}
	}
	beside := around.X
	if within(beside, shift.Pos()) {
		beside = around.Y
	}
	found := false
	ast.Inspect(beside, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			found = found || p.info.Types[call.Fun].IsType()
			return false
		}
		id, ok := n.(*ast.Ident)
		found = found || ok && !p.isUntyped(id)
		return true
	})
	return found
}

// channelRanges finds loops over lists of channels, which the interpreter takes for loops over a channel.
func channelRanges(p *pass, n ast.Node) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok || loop.Tok != token.DEFINE {
		return
	}
	value, ok := loop.Value.(*ast.Ident)
	if !ok || value.Name == "_" {
		return
	}
	obj := p.info.Defs[value]
	if obj == nil {
		return
	}
	if _, channel := obj.Type().Underlying().(*types.Chan); channel && (!isPlain(loop.X) || !p.usedAsChannel(loop.Body, obj)) {
		p.report(n, atRun, "range-channels", "the interpreter takes a loop over channels for one over what a channel gives",
			"loop over the index: for i := range list { ch := list[i]; … }")
	}
}

// usedAsChannel reports whether the loader sees that a variable is a channel.
func (p *pass) usedAsChannel(body *ast.BlockStmt, obj types.Object) bool {
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && p.object(id) == obj
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && is(n.X)
		case *ast.SendStmt:
			found = found || is(n.Chan)
		case *ast.RangeStmt:
			found = found || is(n.X)
		case *ast.CallExpr:
			id, named := n.Fun.(*ast.Ident)
			_, literal := n.Fun.(*ast.FuncLit)
			for _, arg := range n.Args {
				found = found || is(arg) && (literal || named && id.Name == "close")
			}
		}
		return !found
	})
	return found
}

// nilAssignments finds nil among several values that are assigned by one statement.
func nilAssignments(p *pass, n ast.Node) {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) < 2 || len(assign.Lhs) != len(assign.Rhs) {
		return
	}
	repaired := false
	switch p.parent(1).(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		repaired = true
	}
	for i, x := range assign.Rhs {
		if p.info.Types[x].IsNil() && (!repaired || !p.assignable(assign, i)) {
			p.report(n, atRun, "assign-nil", "the interpreter cannot assign nil together with other values", "assign them one after the other")
			return
		}
	}
}

// assignable reports whether what is to be nil can be assigned after the other values.
func (p *pass) assignable(assign *ast.AssignStmt, i int) bool {
	if !isPlain(assign.Lhs[i]) {
		return false
	}
	if _, whole := assign.Lhs[i].(*ast.Ident); whole {
		return true
	}
	for j, x := range assign.Lhs {
		if !p.info.Types[assign.Rhs[j]].IsNil() && p.root(x) != nil && p.root(x) == p.root(assign.Lhs[i]) {
			if _, whole := x.(*ast.Ident); whole {
				return false
			}
		}
	}
	return true
}
