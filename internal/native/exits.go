package native

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/loader"
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
// interpreter, it panics. Its name is as long as what it replaces, so that positions stay: it has an underscore for the dot.
func (s *Source) withoutExits(p *loader.Package) map[string][]byte {
	out, names := map[string][]byte{}, map[string]bool{}
	for _, f := range p.Files {
		name := filepath.Base(f.Path)
		text := s.withoutLines(f)
		out[name] = text
		if s.Unsafe {
			continue
		}
		used := map[string]bool{}
		for _, spec := range f.Tree.Imports {
			s.redirect(f, spec, text, used)
		}
		for _, local := range slices.Sorted(maps.Keys(used)) {
			// The import may have no other use.
			text = fmt.Appendf(text, "\n\nvar _ = %s.Args\n", local)
			names[local+"_Exit"] = true
		}
		out[name] = text
	}
	if len(names) == 0 {
		return out
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package %s\n\nimport \"strconv\"\n", p.Name)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(&b, "\nfunc %s(code int) { panic(\"os.Exit(\" + strconv.Itoa(code) + \")\") }\n", name)
	}
	name := "exits.go"
	for out[name] != nil {
		name = "more_" + name
	}
	out[name] = b.Bytes()
	return out
}

// redirect replaces os.Exit in text, if the import is that of package os. It adds the local name of the package to used if it replaced something.
func (s *Source) redirect(f *loader.File, spec *ast.ImportSpec, text []byte, used map[string]bool) {
	if loader.ImportPath(spec) != "os" {
		return
	}
	local := "os"
	if spec.Name != nil {
		local = spec.Name.Name
	}
	ast.Inspect(f.Tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Exit" {
			return true
		}
		// An identifier that the parser resolves is declared in this file; the import is not.
		x, ok := sel.X.(*ast.Ident)
		if ok && x.Name == local && x.Obj == nil && int(sel.Sel.Pos()-x.End()) == len(".") {
			text[s.offset(f, x.End())] = '_'
			used[local] = true
		}
		return true
	})
}
