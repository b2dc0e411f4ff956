package pluginsource

import (
	"go/ast"
	"go/token"
	"strconv"
)

// Emitted returns the names of the events that a file emits. A name that is not written as a literal is unknown.
func Emitted(f *ast.File) []string {
	sdkName := SDKName(f)
	if sdkName == "" {
		return nil
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		switch fn := call.Fun.(type) {
		case *ast.SelectorExpr:
			if x, ok := fn.X.(*ast.Ident); !ok || x.Name != sdkName || fn.Sel.Name != "Emit" {
				return true
			}
		case *ast.Ident:
			if sdkName != "." || fn.Name != "Emit" {
				return true
			}
		default:
			return true
		}
		out = append(out, literal(call.Args[0])...)
		return true
	})
	return out
}

// Disabled returns the patterns by which a file disables tools. A pattern that is not written as a literal is unknown.
func Disabled(f *ast.File) []string {
	const field = "DisableTools"
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == field {
				out = append(out, literals(n.Value)...)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if sel, ok := left.(*ast.SelectorExpr); ok && sel.Sel.Name == field && len(n.Rhs) == len(n.Lhs) {
					out = append(out, literals(n.Rhs[i])...)
				}
			}
		}
		return true
	})
	return out
}

// literals returns the strings that a list, or a call of append, names as literals.
func literals(e ast.Expr) []string {
	var elements []ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		elements = e.Elts
	case *ast.CallExpr:
		if fn, ok := e.Fun.(*ast.Ident); ok && fn.Name == "append" && len(e.Args) > 0 {
			elements = e.Args[1:]
		}
	}
	var out []string
	for _, el := range elements {
		out = append(out, literal(el)...)
	}
	return out
}

// literal returns the value of a string literal, and nothing for any other expression.
func literal(e ast.Expr) []string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if text, err := strconv.Unquote(lit.Value); err == nil {
			return []string{text}
		}
	}
	return nil
}
