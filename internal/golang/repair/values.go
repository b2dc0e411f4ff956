package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// keepValues gives each value that a loop stores in a list or a map a variable of its own. The interpreter wraps a value that
// is converted to an interface without copying it, so that all iterations would share the last value.
func (w *rewriter) keepValues(loop *ast.BlockStmt) {
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.BlockStmt:
			w.keepBlockValues(n.List)
		case *ast.CaseClause:
			w.keepBlockValues(n.Body)
		case *ast.CommClause:
			w.keepBlockValues(n.Body)
		}
		return true
	})
}

// handsOver reports whether a node stores a variable directly in a list, a map, a struct or a channel, or passes it to a
// function that may do so.
func handsOver(n ast.Node, name string) bool {
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	switch n := n.(type) {
	case *ast.CallExpr:
		return slices.ContainsFunc(n.Args, is)
	case *ast.AssignStmt:
		return slices.ContainsFunc(n.Rhs, is)
	case *ast.ValueSpec:
		return slices.ContainsFunc(n.Values, is)
	case *ast.KeyValueExpr:
		return is(n.Value)
	case *ast.CompositeLit:
		return slices.ContainsFunc(n.Elts, is)
	case *ast.SendStmt:
		return is(n.Value)
	default:
		return false
	}
}

// keepBlockValues gives the values that the statements of one block store a variable each.
func (w *rewriter) keepBlockValues(block []ast.Stmt) {
	for _, stmt := range block {
		assign, ok := stmt.(*ast.AssignStmt)
		if !ok || assign.Tok != token.ASSIGN || len(assign.Lhs) != 1 || len(assign.Rhs) != 1 {
			continue
		}
		kept, list := assign.Rhs[0], assign.Lhs[0]
		if call, ok := kept.(*ast.CallExpr); ok && isBuiltin(call, "append") {
			if len(call.Args) != 2 || call.Ellipsis.IsValid() {
				continue
			}
			list, kept = call.Args[0], call.Args[1]
		} else if _, element := assign.Lhs[0].(*ast.IndexExpr); !element {
			continue
		}
		name, before := w.fresh(assign.Pos()), w.written(assign.Pos(), kept.Pos())
		if !isMade(kept) || !isPlain(assign.Lhs[0]) || !isPlain(list) || strings.Contains(before, "\n") {
			continue
		}
		w.replace(assign.Pos(), kept.Pos(), name+" := ")
		w.repairs(Value, kept)
		w.insert(kept.End(), "; "+before+name)
	}
}

// isPlain reports whether an expression can be written twice: it has no side effects, and nothing in it is edited.
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

// isMade reports whether an expression has a type of its own and a value that nothing else holds.
func isMade(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CompositeLit:
		return x.Type != nil
	case *ast.UnaryExpr:
		lit, ok := x.X.(*ast.CompositeLit)
		return x.Op == token.AND && ok && lit.Type != nil
	case *ast.CallExpr:
		// Some of these calls are untyped if their arguments are untyped.
		return !isBuiltin(x, "append", "len", "cap", "make", "new", "min", "max", "complex", "real", "imag")
	default:
		return false
	}
}

func isBuiltin(call *ast.CallExpr, names ...string) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && slices.Contains(names, id.Name)
}
