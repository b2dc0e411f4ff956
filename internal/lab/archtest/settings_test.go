package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// settingPackages are the packages that decode the files of a home.
var settingPackages = []string{"internal/settings/config", "internal/plugin/manifest"}

// TestSettingsAreRead checks that some code reads each setting of a home and of a plugin's manifest: a setting has an effect, or a
// check that reports it. Names are compared, not types.
func TestSettingsAreRead(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", "..", ".."))
	found, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	settings, read := map[string]string{}, map[string]bool{}
	for _, s := range found {
		if s.test || !strings.HasPrefix(s.dir, "internal/") && !strings.HasPrefix(s.dir, "host") && !strings.HasPrefix(s.dir, "hooks") {
			continue
		}
		text, err := fs.ReadFile(root, s.file)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), s.file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(read, fieldsRead(file))
		if slices.Contains(settingPackages, s.dir) {
			for _, name := range fieldsDecoded(file) {
				settings[name] = s.file
			}
		}
	}
	if len(settings) < 100 {
		t.Errorf("only %d settings are found", len(settings))
	}
	for name, file := range settings {
		if !read[name] {
			t.Errorf("%s: nothing reads the setting %s: give it an effect, or report it", file, name)
		}
	}
}

// TestFieldsRead shows what counts as a setting, and what as reading it.
func TestFieldsRead(t *testing.T) {
	t.Parallel()
	const head = "package p\ntype s struct { A, B int `yaml:\"a\"`; C int }\nfunc f(x s) {"
	for body, want := range map[string]string{
		"":                  "",
		"x.A = 1":           "",
		"x.A, x.B = 1, x.C": "C",
		"x.A++":             "",
		"g(x.A)":            "A",
		"x.A.B = 1":         "A",
		"_ = s{A: x.B}":     "B",
		"if x.A { g(&x.B)}": "A B",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "p.go", head+body+"}", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(fieldsRead(file))), " "); got != want {
			t.Errorf("%s: read %q, want %q", body, got, want)
		}
		if got := fieldsDecoded(file); !slices.Equal(got, []string{"A", "B"}) {
			t.Errorf("decoded %q", got)
		}
	}
}

// fieldsRead returns the names of fields, methods and the like that a file uses, other than to assign to them.
func fieldsRead(file *ast.File) map[string]bool {
	assigned, read := map[ast.Expr]bool{}, map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				assigned[x] = n.Tok == token.ASSIGN
			}
		case *ast.IncDecStmt:
			assigned[n.X] = true
		case *ast.SelectorExpr:
			if !assigned[n] {
				read[n.Sel.Name] = true
			}
		}
		return true
	})
	return read
}

// fieldsDecoded returns the names of fields that are decoded from YAML.
func fieldsDecoded(file *ast.File) []string {
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || field.Tag == nil {
			return true
		}
		tag := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("yaml")
		if tag == "" || tag == "-" || strings.HasPrefix(tag, ",") {
			return true
		}
		for _, name := range field.Names {
			out = append(out, name.Name)
		}
		return true
	})
	return out
}
