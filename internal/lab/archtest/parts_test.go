package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	// conversationMethods and partMethods are how many methods the type Conversation and each of its parts may have.
	conversationMethods = 52
	partMethods         = 35
)

// TestConversationIsSplit checks that the parts of a conversation stay small and that each owns its fields: only its own methods use
// them.
func TestConversationIsSplit(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "agent", "conversation")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			files[e.Name()] = string(text)
		}
	}
	p := partsOf(t, "Conversation", files)
	if len(p.parts) < 8 {
		t.Errorf("found only these parts: %v", slices.Sorted(maps.Keys(p.parts)))
	}
	for _, problem := range p.problems(conversationMethods, partMethods) {
		t.Error(problem)
	}
}

// TestParts shows that each rule can fail, with made-up sources.
func TestParts(t *testing.T) {
	t.Parallel()
	const types = "package p\ntype Whole struct { a *a; b *b }\ntype a struct { n int }\ntype b struct { a *a }\n"
	for name, row := range map[string]struct{ text, want string }{
		"own field":         {"func (x *a) set() { x.n = 1 }", ""},
		"method of a part":  {"func (x *a) set() {}\nfunc (x *b) set() { x.a.set() }", ""},
		"part of a part":    {"func (x *b) set() { x.a.n = 1 }", "x.go: b.set uses the field n of a"},
		"part of the whole": {"func (x *Whole) set() int { return x.a.n }", "x.go: Whole.set uses the field n of a"},
		"parameter":         {"func set(x *a) { x.n++ }", "x.go: set uses the field n of a"},
		"in a closure":      {"func (x *b) set() { func() { x.a.n++ }() }", "x.go: b.set uses the field n of a"},
		"large whole":       {"func (Whole) f() {}\nfunc (*Whole) g() {}\nfunc (*Whole) h() {}", "Whole has 3 methods, and at most 2 are allowed"},
		"large part":        {"func (*b) f() {}\nfunc (b) g() {}", "b has 2 methods, and at most 1 are allowed"},
	} {
		p := partsOf(t, "Whole", map[string]string{"x.go": types + row.text})
		if got := strings.Join(p.problems(2, 1), "; "); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// parts describes a type and the types of its fields that are declared in the same package.
type parts struct {
	whole string
	// fields holds the fields of each struct of the package, each with the name of its type.
	fields map[string]map[string]string
	// parts are the structs to which a field of the whole points.
	parts map[string]bool
	// methods counts the methods of each type.
	methods map[string]int
	files   map[string]*ast.File
}

func partsOf(t *testing.T, whole string, files map[string]string) parts {
	t.Helper()
	p := parts{
		whole: whole, fields: map[string]map[string]string{}, parts: map[string]bool{}, methods: map[string]int{},
		files: map[string]*ast.File{},
	}
	for name, text := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.files[name] = file
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					p.fields[spec.Name.Name] = typesOf(s.Fields)
				}
			}
			if f, ok := n.(*ast.FuncDecl); ok && f.Recv != nil {
				p.methods[typeName(f.Recv.List[0].Type)]++
			}
			return true
		})
	}
	for _, of := range p.fields[whole] {
		if _, ok := p.fields[of]; ok && !token.IsExported(of) {
			p.parts[of] = true
		}
	}
	return p
}

// typesOf returns the names in a list of fields or parameters, each with the name of its type. Only names of this package and
// pointers to them count.
func typesOf(list *ast.FieldList) map[string]string {
	out := map[string]string{}
	if list == nil {
		return out
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			out[name.Name] = typeName(field.Type)
		}
	}
	return out
}

func typeName(expr ast.Expr) string {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if ident, ok := expr.(*ast.Ident); ok {
		return ident.Name
	}
	return ""
}

// problems returns what breaks the rules, in a fixed order.
func (p parts) problems(wholeMethods, partMethods int) []string {
	var out []string
	for of, n := range p.methods {
		switch {
		case of == p.whole && n > wholeMethods:
			out = append(out, fmt.Sprintf("%s has %d methods, and at most %d are allowed", of, n, wholeMethods))
		case p.parts[of] && n > partMethods:
			out = append(out, fmt.Sprintf("%s has %d methods, and at most %d are allowed", of, n, partMethods))
		}
	}
	for name, file := range p.files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				out = append(out, p.intrusions(name, f)...)
			}
		}
	}
	slices.Sort(out)
	return out
}

// intrusions returns the uses of fields of a part in a function that is not a method of that part.
func (p parts) intrusions(file string, f *ast.FuncDecl) []string {
	known, own, title := typesOf(f.Type.Params), "", f.Name.Name
	if f.Recv != nil {
		own = typeName(f.Recv.List[0].Type)
		title = own + "." + title
		maps.Copy(known, typesOf(f.Recv))
	}
	var typeOf func(ast.Expr) string
	typeOf = func(expr ast.Expr) string {
		switch e := expr.(type) {
		case *ast.Ident:
			return known[e.Name]
		case *ast.SelectorExpr:
			return p.fields[typeOf(e.X)][e.Sel.Name]
		default:
			return ""
		}
	}
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of := typeOf(s.X)
		if _, field := p.fields[of][s.Sel.Name]; field && p.parts[of] && of != own {
			out = append(out, fmt.Sprintf("%s: %s uses the field %s of %s", file, title, s.Sel.Name, of))
		}
		return true
	})
	return out
}
