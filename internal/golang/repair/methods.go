package repair

import (
	"go/ast"
	"strings"
)

// finders are functions that give compiled code the methods of a source value in an interface. name is the name under which
// our package registers them. methods lists the methods that make a finder useful, and interfaces the interfaces that it looks
// for.
var finders = []struct {
	name       string
	methods    string
	interfaces []string
}{
	{"texts", "Error String", []string{"error", "stringer"}},
	{"jsons", "MarshalJSON MarshalText", []string{"marshaler", "textMarshaler"}},
}

// teach registers the finders with our package, for the methods that the file declares. The interpreter hides the methods of
// values in a list, a map or a struct from the functions that print or encode them.
func (w *rewriter) teach() {
	declared := map[string]bool{}
	for _, decl := range w.file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil {
			declared[fn.Name.Name] = true
		}
	}
	var text strings.Builder
	for _, f := range finders {
		useful := false
		for name := range strings.FieldsSeq(f.methods) {
			useful = useful || declared[name]
		}
		if !useful {
			continue
		}
		text.WriteString("; var _ = " + ourAlias + "." + f.name + "(func(v any) any { ")
		for _, name := range f.interfaces {
			text.WriteString("if x, ok := " + ourAlias + ".some(v)[0].(" + ourAlias + "." + name + "); ok { return x }; ")
		}
		text.WriteString("return nil })")
	}
	if text.Len() == 0 {
		return
	}
	w.imports = true
	end := w.file.Decls[len(w.file.Decls)-1].End()
	w.closing = append(w.closing, Edit{at: int(end - w.start), insert: text.String()})
}
