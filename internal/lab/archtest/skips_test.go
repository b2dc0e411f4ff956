package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoNakedSkips finds tests that call a Skip method directly. A skip through internal/lab/testneed names the missing ability,
// so that AURA_TEST_REQUIRE can turn the skip into a failure.
func TestNoNakedSkips(t *testing.T) {
	t.Parallel()
	root, seen := filepath.Join("..", "..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testneed") {
			return err
		}
		seen++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, at := range nakedSkips(file) {
			t.Errorf("%s skips by itself: call testneed.Missing and name what is missing", files.Position(at))
		}
		return nil
	})
	if err != nil || seen == 0 {
		t.Errorf("%d test files were read: %v", seen, err)
	}
}

// nakedSkips returns the positions at which a file calls a method that skips a test.
func nakedSkips(file *ast.File) []token.Pos {
	var out []token.Pos
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch receiver, _ := method.X.(*ast.Ident); method.Sel.Name {
		case "Skipf", "SkipNow":
			out = append(out, method.Pos())
		case "Skip":
			// Other types have a method of this name; a test is named t, b, f or tb, or is a field of such a name.
			field, _ := method.X.(*ast.SelectorExpr)
			if receiver != nil && isTest(receiver.Name) || field != nil && isTest(field.Sel.Name) {
				out = append(out, method.Pos())
			}
		}
		return true
	})
	return out
}

func isTest(name string) bool {
	return name == "t" || name == "b" || name == "f" || name == "tb"
}

func TestNakedSkips(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`t.Skip("no")`: 1, `t.Skipf("no")`: 1, `p.t.SkipNow()`: 1, `b.Skip()`: 1, `p.t.Skip("no")`: 1,
		`e.Skip(call)`: 0, `testneed.Missing(t, "root", "no")`: 0, `t.Skipped()`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package a\nfunc f() { "+body+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(nakedSkips(file)); got != want {
			t.Errorf("%s: %d naked skips, want %d", body, got, want)
		}
	}
}
