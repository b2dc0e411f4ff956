package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// together handles values that one statement assigns.
func (w *rewriter) together(values []ast.Expr) {
	if len(values) < 2 {
		return
	}
	for _, x := range values {
		if _, literal := x.(*ast.CompositeLit); literal || received(x) != nil {
			w.wrap(x)
		}
	}
}

// nils handles the statements of a block that assign nil together with other values.
func (w *rewriter) nils(block []ast.Stmt) {
	for _, stmt := range block {
		n, ok := stmt.(*ast.AssignStmt)
		if ok && n.Tok == token.ASSIGN && len(n.Lhs) > 1 && len(n.Lhs) == len(n.Rhs) && slices.ContainsFunc(n.Rhs, isNil) {
			w.separate(n)
		}
	}
}

// separate rewrites an assignment so that its nils are assigned after the other values.
func (w *rewriter) separate(n *ast.AssignStmt) {
	var kept []int
	var after strings.Builder
	for i, x := range n.Rhs {
		if !isNil(x) {
			kept = append(kept, i)
			continue
		}
		if !isPlain(n.Lhs[i]) {
			return
		}
		after.WriteString("; " + w.written(n.Lhs[i].Pos(), n.Lhs[i].End()) + " = nil")
	}
	for i, x := range n.Rhs {
		for _, k := range kept {
			if isNil(x) && w.moves(n.Lhs[k], n.Lhs[i]) {
				return
			}
		}
	}
	if len(kept) == 0 {
		w.replace(n.Pos(), n.End(), strings.TrimPrefix(after.String(), "; "))
		w.repairs(Nils, n)
		return
	}
	w.pick(n.Lhs, kept)
	w.pick(n.Rhs, kept)
	w.closing = append(w.closing, Edit{at: int(n.End() - w.start), insert: after.String(), does: []repaired{{Nils, n}}})
}

// moves reports whether an expression would denote another variable after an assignment to variable.
func (w *rewriter) moves(variable, part ast.Expr) bool {
	if _, whole := part.(*ast.Ident); whole {
		return false
	}
	if id, ok := variable.(*ast.Ident); ok {
		return mentionsIdent(part, id.Name)
	}
	return strings.Contains(w.written(part.Pos(), part.End()), w.written(variable.Pos(), variable.End()))
}

// pick removes all expressions of a list except the kept ones.
func (w *rewriter) pick(list []ast.Expr, kept []int) {
	cut := func(from, to token.Pos, text string) {
		if from < to {
			text = strings.Repeat("\n", strings.Count(w.written(from, to), "\n")) + text
			w.closing = append(w.closing, Edit{at: int(from - w.start), skip: int(to - from), insert: text})
		}
	}
	cut(list[0].Pos(), list[kept[0]].Pos(), "")
	for i := 1; i < len(kept); i++ {
		if kept[i] > kept[i-1]+1 {
			cut(list[kept[i-1]].End(), list[kept[i]].Pos(), ", ")
		}
	}
	cut(list[kept[len(kept)-1]].End(), list[len(list)-1].End(), "")
}

// ranging handles the variables of a loop over a list, a map or a channel.
func (w *rewriter) ranging(n *ast.RangeStmt) {
	if n.Tok != token.DEFINE {
		return
	}
	w.offsets(n)
	value, ok := n.Value.(*ast.Ident)
	if !ok || value.Name == "_" || !isPlain(n.X) || !isChannel(n.Body, value.Name) {
		w.copyVariables(n.Body, n.Key, n.Value)
		return
	}
	key := rootIdent(n.Key)
	if key == "_" || key == "" {
		key = w.fresh(n.Pos())
	}
	w.replace(n.Key.Pos(), value.End(), " "+key)
	get := " " + value.Name + " := " + w.written(n.X.Pos(), n.X.End()) + "[" + key + "];"
	if declares(n.Body, value.Name) {
		get += " {"
		w.closing = append(w.closing, Edit{at: int(n.Body.Rbrace - w.start), insert: "}"})
	}
	w.insert(n.Body.Lbrace+1, get)
	w.repairs(Channels, n)
	w.repairs(Variable, value)
	w.copyVariables(n.Body, n.Key)
}

// isChannel reports whether a variable is used like a channel. If the variable is not a channel, access by index still works,
// because the variable is not a character of a string.
func isChannel(body *ast.BlockStmt, name string) bool {
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && id.Name == name
	}
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW && is(n.X)
		case *ast.SendStmt:
			found = found || is(n.Chan)
		case *ast.RangeStmt:
			found = found || n.Value == nil && is(n.X) && !mentionsIdent(n.Body, name)
		case *ast.CallExpr:
			found = found || isBuiltin(n, "close") && slices.ContainsFunc(n.Args, is) || givenAsChannel(n, is)
		}
		return !found
	})
	return found
}

// givenAsChannel reports whether a call of a function literal passes an expression to a parameter that is a channel.
func givenAsChannel(call *ast.CallExpr, is func(ast.Expr) bool) bool {
	lit, ok := call.Fun.(*ast.FuncLit)
	if !ok {
		return false
	}
	i := 0
	for _, field := range lit.Type.Params.List {
		for range max(1, len(field.Names)) {
			if _, channel := field.Type.(*ast.ChanType); channel && i < len(call.Args) && is(call.Args[i]) {
				return true
			}
			i++
		}
	}
	return false
}
