package repair

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// choice rewrites a switch so that the interpreter runs it correctly.
func (w *rewriter) choice(n *ast.SwitchStmt) {
	w.unfold(n)
	value, ok := w.valueless(n)
	if !ok {
		w.alternatives(n)
		return
	}
	for _, stmt := range n.Body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok || value == "" && len(clause.List) < 2 {
			continue
		}
		for i, x := range clause.List {
			if i > 0 {
				w.join(clause.List[i-1], x, " ||")
			}
			if value == "" {
				w.wrap(x)
			} else {
				w.insert(x.Pos(), value+" == ")
			}
		}
	}
}

// alternatives turns case f(), g(): into case f(): fallthrough; case g():. The interpreter does not compute the second
// expression.
func (w *rewriter) alternatives(n *ast.SwitchStmt) {
	for _, stmt := range n.Body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		for i := 1; i < len(clause.List); i++ {
			if slices.ContainsFunc(clause.List, isComputed) {
				w.join(clause.List[i-1], clause.List[i], ": fallthrough; case ")
			}
		}
	}
}

// isComputed reports whether an expression is more than a literal or a name.
func isComputed(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit, *ast.Ident:
		return false
	case *ast.UnaryExpr:
		return isComputed(x.X)
	default:
		return true
	}
}

// unfold turns switch a := f(); a.b { … } into { a := f(); switch a.b { … }}.
func (w *rewriter) unfold(n *ast.SwitchStmt) {
	if !unfolds(n) {
		return
	}
	w.replace(n.Switch, n.Switch+token.Pos(len("switch")), "{")
	w.insert(n.Tag.Pos(), w.labels[n]+"switch ")
	w.closing = append(w.closing, Edit{at: int(n.End() - w.start), insert: "}"})
}

// unfolds reports whether a switch has a statement before a value that must be computed.
func unfolds(n *ast.SwitchStmt) bool {
	_, variable := n.Tag.(*ast.Ident)
	return n.Init != nil && n.Tag != nil && !variable
}

// labeled moves the label of a switch that gets a block into the block, and records the label of a select.
func (w *rewriter) labeled(n *ast.LabeledStmt) {
	switch s := n.Stmt.(type) {
	case *ast.SwitchStmt:
		if unfolds(s) {
			w.labels[s] = n.Label.Name + ": "
			w.replace(n.Label.Pos(), n.Colon+1, "")
		}
	case *ast.SelectStmt:
		w.labelled[s] = n.Label
	}
}

// typeChoice makes type switches match the errors of compiled code. The interpreter looks into interfaces, and into types made
// of interfaces, only in a switch that names the value. It looks into some types of the plugin's own only in a switch that
// does not name the value.
func (w *rewriter) typeChoice(n *ast.TypeSwitchStmt) {
	guard, unnamed := n.Assign.(*ast.ExprStmt)
	if w.asserted[n] || unnamed && (!hasCase(n.Body) || !compiledCases(n.Body)) {
		return
	}
	if unnamed {
		w.insert(guard.Pos(), w.fresh(n.Pos())+" := ")
		w.repairs(Named, n)
	}
	for _, stmt := range n.Body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, x := range clause.List {
			if id, ok := x.(*ast.Ident); ok && id.Name == "error" {
				w.ours(id)
			}
		}
	}
}

// compiledCases reports whether all types of the cases come from compiled packages, or are made of such types.
func compiledCases(body *ast.BlockStmt) bool {
	compiled := true
	for _, stmt := range body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, x := range clause.List {
			ast.Inspect(x, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					compiled = compiled && types.Universe.Lookup(id.Name) != nil
				}
				_, qualified := n.(*ast.SelectorExpr)
				return !qualified
			})
		}
	}
	return compiled
}

// valueless removes the value from the head of a switch that may be over an interface, and returns the name by which the cases
// refer to the value. If the switch has no value, valueless returns an empty name and true. It returns false if the value
// should stay where it is.
func (w *rewriter) valueless(n *ast.SwitchStmt) (name string, ok bool) {
	switch tag := ast.Unparen(n.Tag).(type) {
	case nil:
		return "", true
	case *ast.Ident:
		if tag.Name == "true" || tag.Name == "false" || !literalCases(n.Body) {
			return "", false
		}
		w.replace(n.Tag.Pos(), n.Tag.End(), "")
		w.repairs(Switch, n)
		return tag.Name, true
	case *ast.IndexExpr, *ast.SelectorExpr:
		if !literalCases(n.Body) || !hasCase(n.Body) {
			return "", false
		}
		name = w.fresh(n.Pos())
		before := n.Tag.Pos()
		if n.Init == nil {
			// There may be a semicolon without a statement.
			before = n.Switch + token.Pos(len("switch"))
		}
		w.replace(before, n.Tag.Pos(), " "+name+" := ")
		w.repairs(Switch, n)
		w.insert(n.Tag.End(), ";")
		return name, true
	default:
		return "", false
	}
}

// join replaces the comma between two expressions with text.
func (w *rewriter) join(left, right ast.Expr, text string) {
	gap := w.text[left.End()-w.start : right.Pos()-w.start]
	if i := bytes.IndexByte(gap, ','); i >= 0 {
		at := left.End() + token.Pos(i)
		w.replace(at, at+1, text)
	}
}

// literalCases reports whether all cases are literals other than characters. With other cases the value is rarely an
// interface, and the interpreter compares more reliably in a switch than with an operator.
func literalCases(body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		clause, ok := stmt.(*ast.CaseClause)
		if ok && !literals(clause.List) {
			return false
		}
	}
	return true
}

func literals(list []ast.Expr) bool {
	for _, x := range list {
		switch x := x.(type) {
		case *ast.BasicLit:
			if x.Kind == token.CHAR {
				return false
			}
		case *ast.Ident:
			if x.Name != "nil" && x.Name != "true" && x.Name != "false" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// hasCase reports whether a switch compares its value with anything.
func hasCase(body *ast.BlockStmt) bool {
	for _, stmt := range body.List {
		if clause, ok := stmt.(*ast.CaseClause); ok && len(clause.List) > 0 {
			return true
		}
	}
	return false
}
