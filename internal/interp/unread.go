package interp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/pluginsource"
	"github.com/idelchi/aura/shared"
)

// growing are the lists of a context that grow with the conversation.
var growing = []string{shared.ListTurns, shared.ListTools, shared.ListMessages}

// unread names the growing lists that the plugin cannot read: no context that it is given is used but for fields of other
// names. A context that is used as a whole, to print it, keep it, or hand it to a function that could do either, may be read
// in any way.
func (s *source) unread() []string {
	fields := map[string]bool{}
	for _, p := range s.packages {
		if !p.reads(fields) {
			return nil
		}
	}
	var out []string
	for _, list := range growing {
		if !fields[list] {
			out = append(out, list)
		}
	}
	return out
}

// reads adds to fields those that the package reads of contexts. It returns false if that cannot be told.
func (p *sourcePackage) reads(fields map[string]bool) bool {
	files := make([]*contextFile, 0, len(p.files))
	for _, f := range p.files {
		if !slices.ContainsFunc(f.imports, func(spec importSpec) bool { return spec.path == pluginsource.SDKPath }) {
			continue
		}
		// What the parser finds wrong is reported when the file is evaluated.
		file, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		name := pluginsource.SDKName(file)
		if name == "." {
			return false
		}
		files = append(files, &contextFile{file: file, sdk: name})
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

// contextFile is a file that could speak of contexts.
type contextFile struct {
	file *ast.File
	// sdk is the name of the SDK in it.
	sdk string
}

// isContext reports whether an expression is the type of a context.
func (f *contextFile) isContext(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == f.sdk && strings.HasSuffix(sel.Sel.Name, "Context")
}

// declared notes for each function which of its parameters are contexts.
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

// locals removes functions whose names also stand for something else: a call of that name may be a call of anything.
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
