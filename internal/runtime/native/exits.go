package native

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/golang/loader"
)

// withoutLines returns a copy of the text of a file in which line directives are plain comments, of the same length. The errors of the
// compiler and the frames of stacks then have the file's own lines.
func (s *Source) withoutLines(f *loader.File) []byte {
	text := slices.Clone(f.Text)
	for _, group := range f.Tree.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text[len("//"):], "line ") {
				text[s.offset(f, c.Pos())+len("//")] = 'L'
			}
		}
	}
	return text
}

// withoutExits returns the files of a package by name, without line directives. In safe mode, they call a function of their own in place of os.Exit. As in the
// interpreter, it panics. Its name is as long as Exit, so that positions stay.
func (s *Source) withoutExits(p *loader.Package) map[string][]byte {
	out, added, replaced := map[string][]byte{}, exitName(p), false
	for _, f := range p.Files {
		name := filepath.Base(f.Path)
		text := s.withoutLines(f)
		for _, spec := range f.Tree.Imports {
			if s.Unsafe || loader.ImportPath(spec) != "os" || !s.redirect(f, spec, text, added) {
				continue
			}
			replaced = true
			// The import may have no other use.
			text = fmt.Appendf(text, "\n\nvar _ = %s\n", member(spec, "Args"))
		}
		out[name] = text
	}
	if !replaced {
		return out
	}
	name := "exits.go"
	for out[name] != nil {
		name = "more_" + name
	}
	out[name] = fmt.Appendf(nil, "package %s\n\nimport \"strconv\"\n\nfunc %s(code int) { panic(\"os.Exit(\" + strconv.Itoa(code) + \")\") }\n", p.Name, added)
	return out
}

// exitName returns a name that does not occur in a package.
func exitName(p *loader.Package) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("e%03d", i)
		if !slices.ContainsFunc(p.Files, func(f *loader.File) bool { return bytes.Contains(f.Text, []byte(name)) }) {
			return name
		}
	}
}

// member returns how a file refers to a member of package os.
func member(spec *ast.ImportSpec, name string) string {
	switch {
	case spec.Name == nil:
		return "os." + name
	case spec.Name.Name == ".":
		return name
	default:
		return spec.Name.Name + "." + name
	}
}

// redirect replaces os.Exit in text by another function with a name of the same length. spec is the import of package os. It reports whether it replaced
// something.
func (s *Source) redirect(f *loader.File, spec *ast.ImportSpec, text []byte, with string) bool {
	replaced := false
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		// An identifier that the parser resolves is declared in this file; the import is not.
		var exit *ast.Ident
		start := token.NoPos
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && x.Obj == nil && member(spec, "Exit") == x.Name+"."+n.Sel.Name {
				exit, start = n.Sel, x.Pos()
			}
		case *ast.CallExpr:
			if fn, ok := n.Fun.(*ast.Ident); ok && fn.Obj == nil && member(spec, "Exit") == fn.Name {
				exit, start = fn, fn.Pos()
			}
		}
		if exit == nil {
			return true
		}
		replaced = true
		at := s.offset(f, exit.Pos())
		for i := s.offset(f, start); i < at; i++ {
			if text[i] != '\n' {
				text[i] = ' '
			}
		}
		copy(text[at:], with)
		return true
	})
	return replaced
}
