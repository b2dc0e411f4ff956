package install

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/manifest"
)

// Facts are what a user should know about a plugin before it runs, as far as its files tell. The lists are sorted and never nil.
type Facts struct {
	Name string `json:"name"`
	// Env are the variables it may read, Hooks the functions that aura calls, Tools the names of its tools.
	Env   []string `json:"env"`
	Hooks []string `json:"hooks"`
	Tools []string `json:"tools"`
	// Unsafe are the imports that need unsafe mode, its vendored packages included.
	Unsafe []string `json:"unsafe_imports"`
	// Asks is what it asks for beyond the defaults.
	Asks manifest.Asks `json:"asks"`
}

// factsOf reads a plugin's files. What does not parse tells nothing.
func factsOf(p manifest.Plugin) Facts {
	f := Facts{Name: p.Name, Env: append([]string{}, p.Manifest.Env...), Hooks: []string{}, Tools: []string{}, Unsafe: []string{}, Asks: manifest.Ask(p)}
	for _, point := range hookpoint.All() {
		if manifest.Defines(p.Dir, string(point.Name)) {
			f.Hooks = append(f.Hooks, string(point.Name))
		}
	}
	f.Tools = append(f.Tools, toolNames(p.Dir)...)
	// Files that do not parse are the business of the check.
	if imports, err := manifest.Imports(p.Dir); err == nil {
		for _, i := range imports {
			if slices.Contains(manifest.Restricted(), i.Path) {
				f.Unsafe = append(f.Unsafe, i.Path)
			}
		}
	}
	for _, list := range []*[]string{&f.Env, &f.Hooks, &f.Tools, &f.Unsafe} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}

// toolNames are the names in the tool schemas that stand in the source, as literals or as constants.
func toolNames(dir string) []string {
	var files []*ast.File
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, e.Name()), nil, parser.SkipObjectResolution)
		if err == nil {
			files = append(files, parsed)
		}
	}
	constants := constantsOf(files)
	var names []string
	add := func(x ast.Expr) {
		if name := stringOf(x, constants); name != "" {
			names = append(names, name)
		}
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			ast.Inspect(decl, func(n ast.Node) bool {
				if lit, ok := n.(*ast.CompositeLit); ok && isSchema(lit.Type) {
					add(schemaName(lit))
				}
				return true
			})
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "Schema" && fn.Body != nil {
				ast.Inspect(fn.Body, func(n ast.Node) bool {
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

// gained are the facts of a plugin that were not so before. It is not ok if there are none.
func gained(before, after Facts) (Facts, bool) {
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
	}
	g := Facts{
		Name: after.Name, Env: minus(after.Env, before.Env), Hooks: minus(after.Hooks, before.Hooks),
		Tools: minus(after.Tools, before.Tools), Unsafe: minus(after.Unsafe, before.Unsafe),
		Asks: after.Asks.Beyond(before.Asks),
	}
	return g, len(g.Env)+len(g.Hooks)+len(g.Tools)+len(g.Unsafe) > 0 || !g.Asks.Empty()
}
