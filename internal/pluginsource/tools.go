package pluginsource

import (
	"go/ast"
	"go/token"
	"strconv"
)

// ToolNames returns the names in the tool schemas that stand in the source, as literals or as constants.
func (p Package) ToolNames() []string {
	var trees []*ast.File
	for _, f := range p.files {
		if f.err == nil {
			trees = append(trees, f.tree)
		}
	}
	constants := constantsOf(trees)
	var names []string
	add := func(x ast.Expr) {
		if name := stringOf(x, constants); name != "" {
			names = append(names, name)
		}
	}
	for _, f := range trees {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && isSchema(lit.Type) {
				add(schemaName(lit))
			}
			return true
		})
		for _, d := range Declarations(f) {
			if d.Name.Name == Schema.Name && d.Body != nil {
				ast.Inspect(d.Body, func(n ast.Node) bool {
					add(assignedName(n))
					return true
				})
			}
		}
	}
	return names
}

func isSchema(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "ToolSchema"
}

// schemaName is the value of the field Name, which is the first one where fields are not named; nil if it has none.
func schemaName(lit *ast.CompositeLit) ast.Expr {
	for i, e := range lit.Elts {
		kv, named := e.(*ast.KeyValueExpr)
		if !named && i == 0 {
			return e
		}
		if named {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Name" {
				return kv.Value
			}
		}
	}
	return nil
}

// assignedName is what a field Name is set to; nil if none is.
func assignedName(n ast.Node) ast.Expr {
	set, ok := n.(*ast.AssignStmt)
	if !ok || len(set.Lhs) != len(set.Rhs) {
		return nil
	}
	for i, left := range set.Lhs {
		if sel, ok := left.(*ast.SelectorExpr); ok && sel.Sel.Name == "Name" {
			return set.Rhs[i]
		}
	}
	return nil
}

// The bounds of what is computed for a source that may be hostile: the bytes of a name made of parts, and how many constants, each
// made of one that comes later, lead to it.
const (
	maxName   = 1000
	maxPasses = 5
)

// stringOf is the value of an expression that is made of literals and constants; empty if it is not.
func stringOf(x ast.Expr, constants map[string]string) string {
	switch v := x.(type) {
	case *ast.BasicLit:
		return text(v)
	case *ast.CallExpr:
		if fun, ok := v.Fun.(*ast.Ident); ok && fun.Name == "string" && len(v.Args) == 1 {
			return stringOf(v.Args[0], constants)
		}
	case *ast.Ident:
		return constants[v.Name]
	case *ast.ParenExpr:
		return stringOf(v.X, constants)
	case *ast.BinaryExpr:
		left, right := stringOf(v.X, constants), stringOf(v.Y, constants)
		if v.Op == token.ADD && left != "" && right != "" && len(left)+len(right) <= maxName {
			return left + right
		}
	}
	return ""
}

// constantsOf are the strings that the files give names to. One may be made of another that comes later.
func constantsOf(files []*ast.File) map[string]string {
	out := map[string]string{}
	for range maxPasses {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok {
					declare(spec, out)
				}
				return true
			})
		}
	}
	return out
}

// declare puts the strings of a declaration among the constants.
func declare(spec *ast.ValueSpec, constants map[string]string) {
	for i, name := range spec.Names {
		if i < len(spec.Values) {
			if s := stringOf(spec.Values[i], constants); s != "" {
				constants[name.Name] = s
			}
		}
	}
}

func text(lit *ast.BasicLit) string {
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return s
}
