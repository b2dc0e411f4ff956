package pluginsource

import (
	"go/ast"
	"strings"
)

// Unread returns those of the lists of a context that a plugin cannot read: the plugin uses its contexts only to read fields with other
// names. If a context is used as a whole, to print it, store it, or pass it to a function that could do so, any list may be read.
// packages holds the files of each package of the plugin.
func Unread(packages [][]*ast.File, lists []string) []string {
	fields := map[string]bool{}
	for _, files := range packages {
		if !reads(files, fields) {
			return nil
		}
	}
	var out []string
	for _, list := range lists {
		if !fields[list] {
			out = append(out, list)
		}
	}
	return out
}

// reads adds the fields of contexts that a package reads to fields. It returns false if they cannot be determined.
func reads(trees []*ast.File, fields map[string]bool) bool {
	files := make([]*contextFile, 0, len(trees))
	for _, file := range trees {
		switch name := SDKName(file); name {
		case "": // most files of vendored packages
		case ".":
			return false
		default:
			files = append(files, &contextFile{file: file, sdk: name})
		}
	}
	taking := map[string][]bool{}
	for _, f := range files {
		f.declared(taking)
	}
	for _, f := range files {
		f.locals(taking)
	}
	for _, f := range files {
		if !f.read(taking, fields) {
			return false
		}
	}
	return true
}

// contextFile is a file that may refer to contexts.
type contextFile struct {
	file *ast.File
	// sdk is the name under which the file imports the SDK.
	sdk string
}

// isContext reports whether an expression is a context type.
func (f *contextFile) isContext(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == f.sdk && strings.HasSuffix(sel.Sel.Name, "Context")
}

// declared records for each function which of its parameters are contexts.
func (f *contextFile) declared(taking map[string][]bool) {
	for _, decl := range f.file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		var contexts []bool
		for _, field := range fn.Type.Params.List {
			for range max(len(field.Names), 1) {
				contexts = append(contexts, f.isContext(field.Type))
			}
		}
		taking[fn.Name.Name] = contexts
	}
}

// locals removes functions whose names are also declared as something else, because a call with that name may call anything.
func (f *contextFile) locals(taking map[string][]bool) {
	drop := func(names ...*ast.Ident) {
		for _, name := range names {
			delete(taking, name.Name)
		}
	}
	ast.Inspect(f.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok {
					drop(name)
				}
			}
		case *ast.RangeStmt:
			for _, left := range []ast.Expr{n.Key, n.Value} {
				if name, ok := left.(*ast.Ident); ok {
					drop(name)
				}
			}
		case *ast.ValueSpec:
			drop(n.Names...)
		case *ast.Field:
			drop(n.Names...)
		case *ast.TypeSpec:
			drop(n.Name)
		}
		return true
	})
}
