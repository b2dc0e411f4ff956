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
)

// gitUsers are the files besides internal/system/gitcmd that may name git as a program: they look it up and give it to internal/system/gitcmd.
var gitUsers = []string{"internal/supply/install/credentials.go"}

// TestOnePlaceStartsGit checks that production code starts git only through internal/system/gitcmd, which keeps it from running what a
// repository says.
func TestOnePlaceStartsGit(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", "..", ".."))
	found, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	own := 0
	for _, s := range found {
		if s.test || !slices.ContainsFunc(s.imports, func(i string) bool { return i == "os/exec" || strings.HasPrefix(i, module+"/internal/") }) {
			continue
		}
		text, err := fs.ReadFile(root, s.file)
		if err != nil {
			t.Fatal(err)
		}
		places := namesGit(t, s.file, string(text))
		if s.dir == "internal/system/gitcmd" {
			own += len(places)
			continue
		}
		// Programs that users do not run make repositories of their own.
		if slices.Contains(gitUsers, s.file) || within(s.dir, starters) {
			continue
		}
		for _, place := range places {
			t.Errorf("%s starts git: use internal/system/gitcmd, so that git runs nothing that a repository says", place)
		}
	}
	if own == 0 {
		t.Error("nobody starts git at all")
	}
}

// TestNamesGit shows what counts as starting git.
func TestNamesGit(t *testing.T) {
	t.Parallel()
	for statement, want := range map[string]int{
		`exec.LookPath("git")`: 1,
		`o.program("git")`:     1,
		`process.Run(ctx, process.Spec{Args: []string{"git"}})`:    1,
		`process.Run(ctx, process.Spec{Path: "git"})`:              1,
		`exec.Command("git", "status")`:                            1,
		`filepath.Join(dir, "git")`:                                0,
		`gitcmd.Run(ctx, gitcmd.Job{Args: []string{"ls-remote"}})`: 0,
	} {
		if got := namesGit(t, "a.go", "package p\nfunc f() {\n"+statement+"\n}\n"); len(got) != want {
			t.Errorf("%s: got %q, want %d", statement, got, want)
		}
	}
}

// namesGit returns the positions in a file at which git is looked up, or is the program or the first word of a command line.
func namesGit(t *testing.T, file, text string) []string {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	add := func(x ast.Expr) {
		if l, ok := x.(*ast.BasicLit); ok && l.Value == `"git"` {
			out = append(out, fmt.Sprintf("%s:%d", file, set.Position(l.Pos()).Line))
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"LookPath", "program", "Command", "CommandContext"}, sel.Sel.Name) {
				for _, arg := range n.Args {
					add(arg)
				}
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Path" {
				add(n.Value)
			}
		case *ast.CompositeLit:
			if list, ok := n.Type.(*ast.ArrayType); ok && list.Len == nil && len(n.Elts) > 0 {
				add(n.Elts[0])
			}
		}
		return true
	})
	return out
}
