package repair

import (
	"go/ast"
	"strings"
)

// given makes functions that print or encode find the methods of the value that a parameter of type any holds: see assertion.
func (w *rewriter) given(params *ast.FieldList, body *ast.BlockStmt) {
	if params == nil {
		return
	}
	for _, field := range params.List {
		for _, name := range field.Names {
			switch {
			case name.Name == "_" || redeclares(body, name.Name):
			case emptyInterface(field.Type):
				w.givenAs(name.Name, body)
			case listOfAny(field.Type):
				w.givenOf(name.Name, body)
			}
		}
	}
}

// listOfAny reports whether a type is a list or a map with elements of type any.
func listOfAny(x ast.Expr) bool {
	switch t := x.(type) {
	case *ast.Ellipsis:
		return emptyInterface(t.Elt)
	case *ast.ArrayType:
		return emptyInterface(t.Elt)
	case *ast.MapType:
		return emptyInterface(t.Value)
	default:
		return false
	}
}

// givenOf handles the elements of a parameter, under the name that a loop over the parameter gives them.
func (w *rewriter) givenOf(param string, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return !hasParam(n.Type, param)
		case *ast.RangeStmt:
			over, isName := n.X.(*ast.Ident)
			value, named := n.Value.(*ast.Ident)
			if isName && named && over.Name == param && value.Name != "_" && !redeclares(n.Body, value.Name) {
				w.givenAs(value.Name, n.Body)
			}
		}
		return true
	})
}

// givenAs handles the uses of one name in calls that print or encode.
func (w *rewriter) givenAs(name string, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return !hasParam(n.Type, name)
		case *ast.TypeSwitchStmt:
			_, bound := typeSubject(n)
			return bound != name
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || w.postponed[n] || n.Ellipsis.IsValid() || !w.looksBehind(sel) {
				return true
			}
			for _, x := range n.Args {
				if id, ok := x.(*ast.Ident); ok && id.Name == name {
					w.imports = true
					w.insert(x.Pos(), ourAlias+".kept(any(")
					w.repairs(Given, x)
					w.insert(x.End(), "))[0]")
				}
			}
		}
		return true
	})
}

// looksBehind reports whether a function is compiled and the interpreter lets it see the methods of its arguments.
func (w *rewriter) looksBehind(sel *ast.SelectorExpr) bool {
	pkg, ok := sel.X.(*ast.Ident)
	if !ok || w.names()[pkg.Name] {
		return false
	}
	switch w.importPath(pkg.Name) {
	case "fmt":
		return strings.Contains(sel.Sel.Name, "rint") || sel.Sel.Name == "Errorf"
	case "log":
		return !strings.HasPrefix(sel.Sel.Name, "Set") && sel.Sel.Name != "New"
	case "encoding/json":
		return strings.HasPrefix(sel.Sel.Name, "Marshal")
	default:
		return false
	}
}

// handed puts parentheses around calls whose results are passed to a parameter of type any of a function of the file. Without
// the parentheses, the interpreter passes the results without their methods.
func (w *rewriter) handed(n *ast.CallExpr, to *ast.Ident) {
	f := w.function(to.Name)
	if f == nil || w.postponed[n] || n.Ellipsis.IsValid() {
		return
	}
	var params []ast.Expr
	for _, field := range f.Params.List {
		for range max(1, len(field.Names)) {
			params = append(params, field.Type)
		}
	}
	if len(params) == 0 {
		return
	}
	rest, variadic := params[len(params)-1].(*ast.Ellipsis)
	for i, x := range n.Args {
		call, ok := x.(*ast.CallExpr)
		// A call that is the only argument may return several values.
		if !ok || len(n.Args) == 1 && (len(params) > 1 || variadic) && !w.single(call) {
			continue
		}
		var t ast.Expr
		switch {
		case variadic && i >= len(params)-1:
			t = rest.Elt
		case i < len(params):
			t = params[i]
		}
		if t != nil && emptyInterface(t) {
			w.wrap(x)
		}
	}
}
