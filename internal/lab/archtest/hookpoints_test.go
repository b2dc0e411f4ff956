package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
)

// TestNoDecisionByHookPoint checks that no production file outside of the table branches on the name of a hook point.
func TestNoDecisionByHookPoint(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", "..", ".."))
	found, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, s := range found {
		if s.test || s.dir == "internal/plugin/hookpoint" || !slices.Contains(s.imports, module+"/internal/plugin/hookpoint") {
			continue
		}
		looked++
		text, err := fs.ReadFile(root, s.file)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range decisions(t, s.file, string(text)) {
			t.Errorf("%s: a decision by the name of a hook point; move it into the row of internal/plugin/hookpoint", place)
		}
	}
	if looked < 10 {
		t.Errorf("only %d files import the table", looked)
	}
}

// TestDecisions shows what counts as a decision.
func TestDecisions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		statement string
		want      int
	}{
		"equal":           {"if p == hookpoint.BeforeChat {}", 1},
		"not equal":       {"if hookpoint.OnError != p {}", 1},
		"case":            {"switch p {\ncase hookpoint.OnError, hookpoint.BeforeChat:\n}", 2},
		"member of a set": {"_ = slices.Contains(list, hookpoint.OnError)", 1},
		"key of a map":    {"_ = map[hookpoint.Name]bool{hookpoint.OnError: true}", 1},
		"a call":          {"run(hookpoint.OnError)", 0},
		"by the row":      {"if hookpoint.Of(p).Order == hookpoint.ByDirectory {}", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := decisions(t, "a.go", "package p\nfunc f() {\n"+tt.statement+"\n}\n"); len(got) != tt.want {
				t.Errorf("got %q, want %d", got, tt.want)
			}
		})
	}
}

// decisions returns the positions in a file at which something depends on the hook point.
func decisions(t *testing.T, file, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	add := func(operands ...ast.Expr) {
		for _, x := range operands {
			if namesPoint(x) {
				at := set.Position(x.Pos())
				out = append(out, fmt.Sprintf("%s:%d", at.Filename, at.Line))
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			add(n.X, n.Y)
		case *ast.CaseClause:
			add(n.List...)
		case *ast.KeyValueExpr:
			add(n.Key)
		case *ast.CallExpr:
			if fun, ok := n.Fun.(*ast.SelectorExpr); ok && strings.HasPrefix(fun.Sel.Name, "Contains") {
				add(n.Args...)
			}
		}
		return true
	})
	return out
}

// namesPoint reports whether an expression is a constant of a hook point.
func namesPoint(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	_, known := hookpoint.Lookup(hookpoint.Name(sel.Sel.Name))
	return ok && pkg.Name == "hookpoint" && known
}
