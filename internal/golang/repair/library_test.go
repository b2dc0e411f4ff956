package repair

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// TestLibrary checks that the standard library has the interfaces that repairs know by name.
func TestLibrary(t *testing.T) {
	t.Parallel()
	for path, names := range library {
		pkg, err := build.Import(path, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		found := interfaces(t, pkg.Dir, pkg.GoFiles)
		for _, name := range names {
			if !slices.Contains(found, name) {
				t.Errorf("%s.%s is no interface with methods", path, name)
			}
		}
	}
}

// interfaces returns the interfaces with methods that files declare, and the aliases for types of other packages.
func interfaces(t *testing.T, dir string, files []string) []string {
	t.Helper()
	var out []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			declared, ok := spec.Type.(*ast.InterfaceType)
			if spec.Assign.IsValid() || ok && len(declared.Methods.List) > 0 {
				out = append(out, spec.Name.Name)
			}
			return false
		})
	}
	return out
}
