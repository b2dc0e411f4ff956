package interp

import (
	"go/ast"
	"slices"
)

// standsForInterface reports whether a value of a type in the file could have methods of its own, and so be handed to compiled
// code as an interface; or whether nil is handed over, as by http.NewRequest("GET", url, nil), for which the interpreter looks at the
// interface's methods too.
func standsForInterface(f *ast.File) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || slices.ContainsFunc(n.Args, isNil)
		case *ast.CompositeLit:
			found = found || slices.ContainsFunc(n.Elts, isNil)
		case *ast.KeyValueExpr:
			found = found || isNil(n.Value)
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Rhs, isNil)
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Values, isNil)
		case *ast.FuncDecl:
			found = found || n.Recv != nil
		case *ast.InterfaceType:
			found = found || len(n.Methods.List) > 0
		case *ast.StructType:
			for _, field := range n.Fields.List {
				found = found || len(field.Names) == 0
			}
		}
		return !found
	})
	return found
}

func isNil(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && id.Name == "nil"
}
