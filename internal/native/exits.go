package native

import (
	"bytes"
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
)

// exits maps the functions that end a process to what a plugin in safe mode calls instead. As in the interpreter, it panics. The texts have
// the length of what they replace, so that positions stay; "" means a function of the package, whose name has an underscore for the dot.
var exits = map[string]map[string]string{
	"os":  {"Exit": ""},
	"log": {"Fatal": "Panic", "Fatalf": "Panicf", "Fatalln": "Panicln"},
}

// withoutExits returns the files of a package by name. In safe mode, they cannot end their process by os.Exit or log.Fatal.
func (s *Source) withoutExits(p *pkg) map[string][]byte {
	out, names := map[string][]byte{}, map[string]bool{}
	for _, f := range p.files {
		name := path.Base(f.name)
		out[name] = f.text
		if s.Unsafe {
			continue
		}
		text := slices.Clone(f.text)
		used := map[string]bool{}
		for _, spec := range f.tree.Imports {
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
	fmt.Fprintf(&b, "package %s\n\nimport \"strconv\"\n", p.name)
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

// redirect replaces the calls of a package that end the process, in text. It adds the local name of package os to used if it replaced one of its calls.
func (s *Source) redirect(f file, spec *ast.ImportSpec, text []byte, used map[string]bool) {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil || exits[imported] == nil {
		return
	}
	local := imported
	if spec.Name != nil {
		local = spec.Name.Name
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// An identifier that the parser resolves is declared in this file; the import is not.
		x, ok := sel.X.(*ast.Ident)
		if !ok || x.Name != local || x.Obj != nil {
			return true
		}
		instead, ok := exits[imported][sel.Sel.Name]
		if !ok {
			return true
		}
		if instead != "" {
			copy(text[s.offset(f, sel.Sel.Pos()):], instead)
			return true
		}
		dot := s.offset(f, x.End())
		if int(sel.Sel.Pos()-x.End()) == len(".") {
			text[dot] = '_'
			used[local] = true
		}
		return true
	})
}
