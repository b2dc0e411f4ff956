package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// copyCounters handles the loop variables of a for clause that its body does not change. A variable that the body changes must
// not be copied, because the next iteration continues from its value.
func (w *rewriter) copyCounters(n *ast.ForStmt) {
	init, ok := n.Init.(*ast.AssignStmt)
	if !ok || init.Tok != token.DEFINE {
		return
	}
	var variables []ast.Expr
	for _, v := range init.Lhs {
		if id, ok := v.(*ast.Ident); ok && !changes(n.Body, id.Name) {
			variables = append(variables, v)
		}
	}
	w.copyVariables(n.Body, variables...)
}

// copyVariables adds copies of the variables at the start of a loop's body, if something in the body could outlive the
// iteration.
func (w *rewriter) copyVariables(body *ast.BlockStmt, variables ...ast.Expr) {
	var names []string
	var copied []*ast.Ident
	for _, v := range variables {
		if id, ok := v.(*ast.Ident); ok && id.Name != "_" && captures(body, id.Name) {
			names, copied = append(names, id.Name), append(copied, id)
		}
	}
	if len(names) == 0 {
		return
	}
	list := strings.Join(names, ", ")
	if !slices.ContainsFunc(names, func(name string) bool { return declares(body, name) }) {
		w.insert(body.Lbrace+1, " "+list+" := "+list+";")
	} else {
		// The body declares a variable of the same name, such as its own copy. Two variables of the same name need two blocks.
		w.insert(body.Lbrace+1, " "+list+" := "+list+"; {")
		w.closing = append(w.closing, Edit{at: int(body.Rbrace - w.start), insert: "}"})
	}
	for _, id := range copied {
		w.repairs(Variable, id)
	}
}

// declares reports whether a block itself declares the name, not a block within it.
func declares(block *ast.BlockStmt, name string) bool {
	for _, stmt := range block.List {
		for {
			labeled, ok := stmt.(*ast.LabeledStmt)
			if !ok {
				break
			}
			stmt = labeled.Stmt
		}
		switch s := stmt.(type) {
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE && slices.ContainsFunc(s.Lhs, func(x ast.Expr) bool { return rootIdent(x) == name }) {
				return true
			}
		case *ast.DeclStmt:
			if mentionsIdent(s, name) {
				return true
			}
		}
	}
	return false
}

// captures reports whether a function literal in the body mentions the name, or the body takes the address of the variable or
// of a part of it, or stores the variable where an interface may hold it.
func captures(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			found = found || mentionsIdent(n, name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && rootIdent(n.X) == name
		default:
			found = found || handsOver(n, name)
		}
		return !found
	})
	return found
}

// changes reports whether the body assigns to the name or takes its address.
func changes(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || n.Tok != token.DEFINE && rootIdent(x) == name
			}
		case *ast.IncDecStmt:
			found = found || rootIdent(n.X) == name
		case *ast.RangeStmt:
			found = found || n.Tok == token.ASSIGN && (rootIdent(n.Key) == name || rootIdent(n.Value) == name)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && rootIdent(n.X) == name
		}
		return !found
	})
	return found
}
