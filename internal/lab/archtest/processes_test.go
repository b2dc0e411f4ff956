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
	"testing"
)

// starters are the trees that may start processes directly: internal/system/process, programs that users do not run, and helpers of tests.
// internal/golang/interp/symtab only names the functions, for plugins.
var starters = []string{
	"internal/system/process", "internal/lab/bench", "internal/lab", "internal/lab/fleetlab", "internal/lab/soak", "internal/golang/library/gen", "internal/golang/interp/gen",
	"internal/golang/interp/symtab", "internal/lab/testhost", "internal/lab/testneed", "tools",
}

// TestOnePlaceStartsProcesses checks that production code starts processes only through internal/system/process.
func TestOnePlaceStartsProcesses(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", "..", ".."))
	found, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, s := range found {
		if s.test || !slices.ContainsFunc(s.imports, func(i string) bool { return i == "os" || i == "os/exec" || i == "syscall" }) {
			continue
		}
		text, err := fs.ReadFile(root, s.file)
		if err != nil {
			t.Fatal(err)
		}
		places := starts(t, s.file, string(text))
		if within(s.dir, starters) {
			own += len(places)
			continue
		}
		for _, place := range places {
			t.Errorf("%s starts a process: use internal/system/process, so that nothing is inherited and nothing is left", place)
		}
	}
	if own == 0 {
		t.Error("nobody starts a process at all")
	}
}

// TestStarts shows what counts as starting a process.
func TestStarts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		statement string
		want      int
	}{
		"a command":                  {`exec.Command("sh").Run()`, 1},
		"with a context":             {`exec.CommandContext(ctx, "sh")`, 1},
		"a value":                    {`cmd := &exec.Cmd{Path: "sh"}; _ = cmd`, 1},
		"a function value":           {`run := exec.Command; _ = run`, 1},
		"by package os":              {`os.StartProcess("sh", nil, nil)`, 1},
		"by a system call":           {`syscall.ForkExec("sh", nil, nil)`, 1},
		"only looking for one":       {`exec.LookPath("sh")`, 0},
		"a type":                     {`var cmd *exec.Cmd; _ = cmd`, 0},
		"by internal/system/process": {`process.Start(process.Spec{})`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := starts(t, "a.go", "package p\nfunc f() {\n"+tt.statement+"\n}\n"); len(got) != tt.want {
				t.Errorf("got %q, want %d", got, tt.want)
			}
		})
	}
}

// starting lists the functions that start a process.
var starting = []string{"exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.ForkExec", "syscall.StartProcess"}

// starts returns the positions in a file at which a process is started or prepared.
func starts(t *testing.T, file, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	add := func(n ast.Node) {
		at := set.Position(n.Pos())
		out = append(out, fmt.Sprintf("%s:%d", at.Filename, at.Line))
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if slices.Contains(starting, qualified(n)) {
				add(n)
			}
		case *ast.CompositeLit:
			if qualified(n.Type) == "exec.Cmd" {
				add(n)
			}
		}
		return true
	})
	return out
}

// qualified returns the text of an expression such as os.Stdin, and "" for any other expression.
func qualified(x ast.Expr) string {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	pkg, ok := sel.X.(*ast.Ident)
	if !ok {
		return ""
	}
	return pkg.Name + "." + sel.Sel.Name
}
