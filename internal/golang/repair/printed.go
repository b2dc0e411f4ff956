package repair

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// printed puts parentheses around calls whose results are printed as text, as in fmt.Sprint(f(), x). Without the parentheses,
// the interpreter passes the results without their methods, so that fmt does not call the String or Error method of the
// plugin's own types.
func (w *rewriter) printed(n *ast.CallExpr, sel *ast.SelectorExpr) {
	if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "fmt" || w.postponed[n] || n.Ellipsis.IsValid() {
		return
	}
	args := n.Args
	if strings.HasSuffix(sel.Sel.Name, "f") {
		args = textArguments(args)
	}
	for _, x := range args {
		call, ok := x.(*ast.CallExpr)
		if !ok || len(n.Args) == 1 && !w.single(call) {
			continue
		}
		switch leftmost(call).(type) {
		case *ast.Ident, *ast.CompositeLit:
			w.insert(x.Pos(), "(")
			w.repairs(Printed, x)
			w.insert(x.End(), ")")
		}
	}
}

// textArguments returns the arguments after a format that are printed as text. It returns nil if the format is not a literal,
// or if its verbs have more than flags and widths.
func textArguments(args []ast.Expr) []ast.Expr {
	format := slices.IndexFunc(args, func(x ast.Expr) bool {
		lit, ok := x.(*ast.BasicLit)
		return ok && lit.Kind == token.STRING
	})
	if format < 0 || format > 1 {
		return nil
	}
	lit, ok := args[format].(*ast.BasicLit)
	if !ok {
		return nil
	}
	var found []ast.Expr
	next := format + 1
	for i := 0; i < len(lit.Value); i++ {
		if lit.Value[i] != '%' {
			continue
		}
		verb := strings.TrimLeft(lit.Value[i+1:], "-0123456789.")
		i = len(lit.Value) - len(verb)
		switch {
		case verb == "" || strings.ContainsRune("+# *[", rune(verb[0])):
			return nil
		case verb[0] == '%':
			continue
		case next < len(args) && strings.ContainsRune("vsqxX", rune(verb[0])):
			found = append(found, args[next])
		}
		next++
	}
	return found
}

// leftmost returns the expression that an expression starts with.
func leftmost(x ast.Expr) ast.Expr {
	for {
		switch e := x.(type) {
		case *ast.CallExpr:
			x = e.Fun
		case *ast.SelectorExpr:
			x = e.X
		case *ast.IndexExpr:
			x = e.X
		default:
			return x
		}
	}
}

// single reports whether a call is of a function of the file that has one result. Without that, a call that is the only
// argument may return several values.
func (w *rewriter) single(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	if !ok {
		return false
	}
	f := w.function(id.Name)
	return f != nil && f.Results.NumFields() == 1
}

// function returns the type of a function of the file, or nil.
func (w *rewriter) function(name string) *ast.FuncType {
	if w.functions == nil {
		w.functions = functions(w.file)
	}
	return w.functions[name]
}

// functions returns the functions that are not generic and whose names have no other meaning in the file.
func functions(f *ast.File) map[string]*ast.FuncType {
	found := map[string]*ast.FuncType{}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Type.TypeParams == nil {
			found[fn.Name.Name] = fn.Type
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					delete(found, rootIdent(x))
				}
			}
		case *ast.RangeStmt:
			delete(found, rootIdent(n.Key))
			delete(found, rootIdent(n.Value))
		case *ast.ValueSpec:
			for _, id := range n.Names {
				delete(found, id.Name)
			}
		case *ast.Field:
			for _, id := range n.Names {
				delete(found, id.Name)
			}
		}
		return true
	})
	return found
}
