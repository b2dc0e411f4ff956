package pluginsource

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// ToolNames returns the tool names in the tool schemas of the source that are literals or constants.
func (p Package) ToolNames() []string { return p.schemaNames(Schema.Name, "ToolSchema", "Tool") }

// CommandNames returns the names in the schemas of slash commands that are literals or constants.
func (p Package) CommandNames() []string { return p.schemaNames(Command.Name, "CommandSchema") }

// schemaNames returns the names in values of the types, and those that the body of a function assigns.
func (p Package) schemaNames(function string, types ...string) []string {
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
			if lit, ok := n.(*ast.CompositeLit); ok && isSchema(lit.Type, types) {
				add(schemaName(lit))
			}
			return true
		})
		for _, d := range Declarations(f) {
			if d.Name.Name == function && d.Body != nil {
				ast.Inspect(d.Body, func(n ast.Node) bool {
					add(assignedName(n))
					return true
				})
			}
		}
	}
	return names
}

func isSchema(t ast.Expr, types []string) bool {
	sel, ok := t.(*ast.SelectorExpr)
	return ok && slices.Contains(types, sel.Sel.Name)
}

// schemaName returns the value of the field Name. If the fields are not named, Name is the first field. It returns nil if there
// is no such value.
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

// assignedName returns the value that is assigned to a field Name, or nil.
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

// These constants limit the work for a source that may be hostile. maxName is the largest size of a concatenated name, in bytes.
// maxPasses is the longest chain of constants that each refer to a constant declared later.
const (
	maxName   = 1000
	maxPasses = 5
)

// stringOf returns the value of an expression that consists of literals and constants. It returns the empty string for other
// expressions.
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

// constantsOf returns the named strings of the files. A constant may refer to another that is declared later.
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

// declare adds the strings of a declaration to the constants.
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
