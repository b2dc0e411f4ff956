package check

import (
	"go/ast"
	"go/token"
	"go/types"
)

// What follows mirrors what the loader repairs in deferred calls and in loops.

// copied reports whether the loader copies an argument before the call is deferred.
func (p *pass) copied(x ast.Expr, d deferred) bool {
	if p.source.fset.Position(x.Pos()).Line != p.source.fset.Position(x.End()).Line {
		return false
	}
	return p.copyable(x, d)
}

func (p *pass) copyable(x ast.Expr, d deferred) bool {
	switch e := ast.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return p.ownVariable(x, d.fn) != nil
	case *ast.BinaryExpr:
		return len(d.loops) > 0 && e.Op != token.SHL && e.Op != token.SHR && (p.copyable(e.X, d) || p.copyable(e.Y, d))
	case *ast.UnaryExpr:
		return len(d.loops) > 0 && e.Op != token.AND && e.Op != token.ARROW && p.copyable(e.X, d)
	case *ast.CallExpr:
		return len(d.loops) > 0 && len(d.at.Call.Args) > 1
	default:
		return false
	}
}

// copiedReceiver reports whether the loader copies the variable whose method is deferred.
func (p *pass) copiedReceiver(sel *ast.SelectorExpr, d deferred) bool {
	id := p.ownVariable(sel.X, d.fn)
	if id == nil || id.Pos() != sel.Pos() || !p.inferred(p.object(id), d.fn) || p.recoveringName(sel.Sel.Name) {
		return false
	}
	if method := p.callee(d.at.Call); method != nil && isPointer(method.Signature().Recv().Type()) && !isPointer(p.typeOf(sel.X)) {
		return false
	}
	for _, c := range p.changed[p.object(id)] {
		if c.whole && !inLiteral(d.fn, c.at) {
			return true
		}
	}
	return len(d.loops) > 0
}

// ownVariable is the variable of a function itself that an expression reads all or a part of, as it stands there.
func (p *pass) ownVariable(x ast.Expr, fn ast.Node) *ast.Ident {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			if v, ok := p.object(e).(*types.Var); ok && within(fn, v.Pos()) {
				return e
			}
			return nil
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return nil
		}
	}
}

// inferred reports whether a variable is declared without its type, and not as a value that is written out.
func (p *pass) inferred(obj types.Object, fn ast.Node) bool {
	if _, literal := p.origin[obj].(*ast.CompositeLit); literal {
		return false
	}
	found := false
	ast.Inspect(functionBody(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				id, ok := x.(*ast.Ident)
				found = found || ok && p.info.Defs[id] == obj
			}
		case *ast.RangeStmt:
			for _, x := range []ast.Expr{n.Key, n.Value} {
				id, ok := x.(*ast.Ident)
				found = found || ok && p.info.Defs[id] == obj
			}
		}
		return !found
	})
	return found
}

// inLiteral reports whether a position lies in a function literal within fn.
func inLiteral(fn ast.Node, at token.Pos) bool {
	found := false
	ast.Inspect(functionBody(fn), func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		found = found || ok && within(lit, at)
		return !found
	})
	return found
}

// recoveringName reports whether a function or method of that name recovers.
func (p *pass) recoveringName(name string) bool {
	for _, f := range p.pkg.files {
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == name && fn.Body != nil && p.recovers(fn.Body) {
				return true
			}
		}
	}
	return false
}

// hoisted reports whether the loader gives a value that the statement which is looked at puts into a list or a map a variable of
// its own.
func (p *pass) hoisted(x ast.Expr) bool {
	assign, up := p.parent(0), 1
	list := ast.Expr(nil)
	if call, ok := assign.(*ast.CallExpr); ok {
		if !p.isAppend(call) || len(call.Args) != 2 || call.Args[1] != x {
			return false
		}
		assign, up, list = p.parent(1), 2, call.Args[0]
	}
	set, ok := assign.(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 || !isPlain(set.Lhs[0]) || list != nil && !isPlain(list) {
		return false
	}
	if _, element := set.Lhs[0].(*ast.IndexExpr); list == nil && (!element || set.Rhs[0] != x) {
		return false
	}
	switch p.parent(up).(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return false
	}
	switch e := x.(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		return true
	default:
		return false
	}
}

// isPlain reports whether an expression is made of names and indexes only.
func isPlain(x ast.Expr) bool {
	plain := true
	ast.Inspect(x, func(n ast.Node) bool {
		switch n.(type) {
		case nil, *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.BasicLit:
		default:
			plain = false
		}
		return plain
	})
	return plain
}
