package repair

import (
	"go/ast"
	"go/token"
)

// texts records the loops over parameters of type string.
func (w *rewriter) texts(params *ast.FieldList, body *ast.BlockStmt) {
	if params == nil {
		return
	}
	for _, field := range params.List {
		t, ok := field.Type.(*ast.Ident)
		if !ok || t.Name != "string" {
			continue
		}
		for _, name := range field.Names {
			w.textsOf(name.Name, body)
		}
	}
}

func (w *rewriter) textsOf(param string, body *ast.BlockStmt) {
	if redefines(body, param) {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return !hasParam(n.Type, param)
		case *ast.RangeStmt:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == param {
				w.strings[n] = true
			}
		}
		return true
	})
}

// redefines reports whether a body declares another variable of that name, or a type or constant.
func redefines(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				found = found || n.Tok == token.DEFINE && rootIdent(x) == name
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				found = found || id.Name == name
			}
		case *ast.RangeStmt:
			found = found || n.Tok == token.DEFINE && (rootIdent(n.Key) == name || rootIdent(n.Value) == name)
		}
		return !found
	})
	return found
}

// offsets adds a second variable to a loop that has only an index, if the loop is over something that can be indexed: a
// string, or a value of which the body reads an element or a part. A number, a function or a channel cannot be indexed.
func (w *rewriter) offsets(n *ast.RangeStmt) {
	key, ok := n.Key.(*ast.Ident)
	if !ok || key.Name == "_" || n.Value != nil {
		return
	}
	lit, ok := n.X.(*ast.BasicLit)
	if w.strings[n] || ok && lit.Kind == token.STRING || isPlain(n.X) && w.indexes(n.Body, w.written(n.X.Pos(), n.X.End())) {
		w.insert(n.Key.End(), ", _")
		w.repairs(Offsets, n)
	}
}

// indexes reports whether a body reads an element or a part of the expression with this text.
func (w *rewriter) indexes(body *ast.BlockStmt, list string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IndexExpr:
			found = found || w.written(n.X.Pos(), n.X.End()) == list
		case *ast.SliceExpr:
			found = found || w.written(n.X.Pos(), n.X.End()) == list
		}
		return !found
	})
	return found
}
