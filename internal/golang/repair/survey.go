package repair

import (
	"go/ast"
	"go/token"
)

// surveyor walks through a function's own statements.
type surveyor struct {
	*routine
	// loops is the number of loops around the current statement.
	loops int
	// called holds the function literals that are called immediately.
	called map[*ast.FuncLit]bool
}

// survey examines a function's own statements. lists holds its receiver, parameters and results.
func survey(block *ast.BlockStmt, lists ...*ast.FieldList) routine {
	b := routine{variables: map[string]bool{}, assigned: map[string]int{}, fixed: map[string]bool{}}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				b.fix(name)
			}
		}
	}
	ast.Walk(surveyor{routine: &b, called: map[*ast.FuncLit]bool{}}, block)
	return b
}

// Visit records one node. It does not descend into function literals.
func (s surveyor) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		if !s.called[n] {
			s.values = append(s.values, n)
		}
		return nil
	case *ast.CallExpr:
		if lit, ok := n.Fun.(*ast.FuncLit); ok {
			s.called[lit] = true
		}
	case *ast.DeferStmt:
		s.defers = append(s.defers, deferral{DeferStmt: n, looped: s.loops > 0})
	case *ast.ReturnStmt:
		s.returns = append(s.returns, n)
	case *ast.ForStmt, *ast.RangeStmt:
		s.loop(n)
		s.loops++
	case *ast.AssignStmt:
		s.assignment(n)
	case *ast.IncDecStmt:
		s.assigned[rootIdent(n.X)]++
	case *ast.ValueSpec:
		for _, name := range n.Names {
			s.fix(name)
		}
	case *ast.GenDecl:
		if n.Tok != token.VAR {
			return nil
		}
	}
	return s
}

// fix records a variable that is declared with its type.
func (b *routine) fix(name *ast.Ident) {
	b.variables[name.Name] = true
	b.fixed[name.Name] = true
	b.assigned[name.Name]++
}

func (b *routine) loop(n ast.Node) {
	loop, ok := n.(*ast.RangeStmt)
	if !ok {
		return
	}
	for _, x := range []ast.Expr{loop.Key, loop.Value} {
		if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
			b.variables[id.Name] = b.variables[id.Name] || loop.Tok == token.DEFINE
			b.assigned[id.Name]++
		}
	}
}

func (b *routine) assignment(n *ast.AssignStmt) {
	for i, x := range n.Lhs {
		id, ok := x.(*ast.Ident)
		if !ok || id.Name == "_" {
			continue
		}
		b.assigned[id.Name]++
		if n.Tok != token.DEFINE {
			continue
		}
		b.variables[id.Name] = true
		if len(n.Rhs) == len(n.Lhs) {
			if _, literal := n.Rhs[i].(*ast.CompositeLit); literal {
				b.fixed[id.Name] = true
			}
		}
	}
}

// rootIdent returns the name of the variable that an expression reads or writes a part of.
func rootIdent(x ast.Expr) string {
	for {
		switch e := x.(type) {
		case *ast.Ident:
			return e.Name
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		case *ast.ParenExpr:
			x = e.X
		default:
			return ""
		}
	}
}

func mentionsIdent(n ast.Node, name string) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}
