package repair

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// selection is a select statement. at is its start, including its label. label is the label that the statement gets.
type selection struct {
	*ast.SelectStmt
	at    token.Pos
	label string
}

// selection records a select statement. A break that leaves the select from within a condition gets its label: without a
// label, the interpreter would leave the loop around the select.
func (w *rewriter) selection(n *ast.SelectStmt) {
	s := selection{SelectStmt: n, at: n.Pos()}
	name := w.fresh(n.Pos())
	label, labelled := w.labelled[n]
	if labelled {
		s.at, name = label.Pos(), label.Name
	}
	for _, jump := range breaks(n) {
		w.insert(jump.End(), " "+name)
		if !labelled {
			s.label = name + ": "
		}
	}
	w.selections = append(w.selections, s)
}

// breaks returns the breaks that leave a select statement, except one at the end of a case.
func breaks(n *ast.SelectStmt) []*ast.BranchStmt {
	var found []*ast.BranchStmt
	for _, stmt := range n.Body.List {
		clause, ok := stmt.(*ast.CommClause)
		if !ok {
			continue
		}
		for _, s := range clause.Body {
			if _, jump := s.(*ast.BranchStmt); jump {
				continue
			}
			ast.Inspect(s, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
					return false
				case *ast.BranchStmt:
					if n.Tok == token.BREAK && n.Label == nil {
						found = append(found, n)
					}
				}
				return true
			})
		}
	}
	return found
}

// selects makes the values that a select sends, and the channels, be computed before the select. The interpreter computes only
// their outermost expression. All edits must have been made and be sorted; edits within a value move with it.
func (w *rewriter) selects() {
	for _, s := range w.selections {
		var before strings.Builder
		for _, stmt := range s.Body.List {
			clause, ok := stmt.(*ast.CommClause)
			if !ok {
				continue
			}
			for _, x := range w.communicates(clause.Comm) {
				name := w.fresh(x.Pos())
				moved := w.combineEdits(x)
				fmt.Fprintf(&before, "%s := %s; ", name, moved.insert)
				// The lines that the expression spans move with it.
				moved.insert = name
				w.edits = append(w.edits, moved)
				w.sort()
			}
		}
		before.WriteString(s.label)
		if before.Len() > 0 {
			w.insert(s.at, before.String())
			w.sort()
		}
	}
}

// communicates returns the parts of a communication that must be computed before the select.
func (w *rewriter) communicates(comm ast.Stmt) []ast.Expr {
	var found []ast.Expr
	channel := ast.Expr(nil)
	switch c := comm.(type) {
	case *ast.SendStmt:
		channel = c.Chan
		if w.isComputed(c.Value) {
			found = append(found, c.Value)
		}
	case *ast.ExprStmt:
		channel = received(c.X)
	case *ast.AssignStmt:
		channel = received(c.Rhs[0])
	}
	if element, ok := ast.Unparen(channel).(*ast.IndexExpr); ok && !isPlain(element) {
		found = append(found, channel)
	}
	return found
}

// received returns the channel that an expression receives from, or nil.
func received(x ast.Expr) ast.Expr {
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u.X
	}
	return nil
}

// isComputed reports whether a value has computed parts and a type of its own.
func (w *rewriter) isComputed(x ast.Expr) bool {
	switch e := x.(type) {
	case *ast.CompositeLit:
		return e.Type != nil
	case *ast.CallExpr:
		return len(e.Args) > 0
	case *ast.UnaryExpr:
		return e.Op == token.AND || e.Op == token.NOT || w.isTyped(e.X)
	case *ast.IndexExpr, *ast.SelectorExpr:
		return !isPlain(x)
	case *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr:
		return true
	case *ast.BinaryExpr:
		return e.Op.Precedence() <= token.EQL.Precedence() || w.isTyped(e)
	case *ast.ParenExpr:
		return w.isComputed(e.X)
	default:
		return false
	}
}

// isTyped reports whether an expression certainly contains more than constants. An expression of constants alone would get the
// type of the channel.
func (w *rewriter) isTyped(x ast.Expr) bool {
	typed := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr, *ast.IndexExpr:
			typed = true
		case *ast.Ident:
			typed = typed || w.variables()[n.Name]
		}
		return !typed
	})
	return typed
}

// variables returns the names of the file's parameters and variables.
func (w *rewriter) variables() map[string]bool {
	if w.declared == nil {
		w.declared = map[string]bool{}
		for _, decl := range w.file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil {
				for name := range survey(fn.Body, fn.Recv, fn.Type.Params, fn.Type.Results).variables {
					w.declared[name] = true
				}
			}
		}
		ast.Inspect(w.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.FuncLit); ok {
				for name := range survey(lit.Body, lit.Type.Params, lit.Type.Results).variables {
					w.declared[name] = true
				}
			}
			return true
		})
	}
	return w.declared
}

// combineEdits removes the edits within an expression, and returns one edit with the same effect.
func (w *rewriter) combineEdits(x ast.Expr) Edit {
	from, to := int(x.Pos()-w.start), int(x.End()-w.start)
	all := Edit{at: from, skip: to - from}
	var within []Edit
	w.edits = slices.DeleteFunc(w.edits, func(e Edit) bool {
		in := e.at >= from && e.at <= to && (e.at < to || e.skip == 0)
		if in {
			within = append(within, e)
		}
		return in
	})
	all.insert = string(Apply(nil, w.text[:to], from, within))
	for e := range standing(within, from) {
		all.does = append(all.does, e.does...)
	}
	return all
}

// leaves puts a jump at the end of a case of a select into a block of its own. Without the block, the interpreter stays in the
// loop.
func (w *rewriter) leaves(n *ast.CommClause) {
	if len(n.Body) == 0 {
		return
	}
	jump, ok := n.Body[len(n.Body)-1].(*ast.BranchStmt)
	if ok && (jump.Label != nil || jump.Tok != token.BREAK) {
		w.insert(jump.Pos(), "{ ")
		w.insert(jump.End(), " }")
	}
}

// receives rewrites a receiving assignment of a select as a declaration and an assignment. The interpreter supports only
// declarations there.
func (w *rewriter) receives(n *ast.CommClause) {
	assign, ok := n.Comm.(*ast.AssignStmt)
	if !ok || assign.Tok != token.ASSIGN {
		return
	}
	var names, left, given []string
	for i, x := range assign.Lhs {
		name, written := "_", w.written(x.Pos(), x.End())
		if written != "_" {
			name = fmt.Sprintf("%s_%d", w.fresh(n.Pos()), i)
			left, given = append(left, written), append(given, name)
		}
		names = append(names, name)
	}
	if len(left) == 0 {
		return
	}
	w.replace(assign.Pos(), assign.TokPos+1, " "+strings.Join(names, ", ")+" :=")
	w.insert(n.Colon+1, " "+strings.Join(left, ", ")+" = "+strings.Join(given, ", ")+";")
}
