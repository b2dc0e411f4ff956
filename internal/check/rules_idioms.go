package check

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/idelchi/aura/internal/repair"
)

// The loader repairs most constructs that the rules of this file are about; the rules find the rest.

// shifts finds shifted numbers whose context gives them another type than int.
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
		wrong = t.Info()&types.IsUnsigned != 0 && !p.repaired(repair.Shift, shift)
	}
	if wrong {
		p.report(n, atRun, "shift", "the interpreter treats the shifted number as an int", "write its type: "+t.Name()+"(1) << n")
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

// channelRanges finds loops over lists of channels, which the interpreter treats as loops over a channel.
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
	if _, channel := obj.Type().Underlying().(*types.Chan); channel && !p.repaired(repair.Channels, loop) {
		p.report(n, atRun, "range-channels", "the interpreter mistakes a loop over channels for a loop that receives from a channel",
			"loop over the index: for i := range list { ch := list[i]; … }")
	}
}

// nilAssignments finds nil among several values that one statement assigns.
func nilAssignments(p *pass, n ast.Node) {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) < 2 || len(assign.Lhs) != len(assign.Rhs) {
		return
	}
	if slices.ContainsFunc(assign.Rhs, func(x ast.Expr) bool { return p.info.Types[x].IsNil() }) && !p.repaired(repair.Nils, assign) {
		p.report(n, atRun, "assign-nil", "the interpreter cannot assign nil together with other values", "assign them one after the other")
	}
}
