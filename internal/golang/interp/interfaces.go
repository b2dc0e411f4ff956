package interp

import (
	"go/ast"
	"slices"
)

// standsForInterface reports whether the interpreter may need the methods of an interface to pass a value from this file to
// compiled code. That is the case if a type in the file could have methods of its own, or if nil is passed, as in
// http.NewRequest("GET", url, nil), because the interpreter looks at the interface's methods for nil too.
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
