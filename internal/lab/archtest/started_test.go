package archtest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// startingFuncs lists, by import path, the functions that start a process. A method counts by the name of the variable before it.
var startingFuncs = map[string][]string{
	module + "/internal/system/process": {"Start", "Run"},
	module + "/internal/system/shell":   {"Run"},
	module + "/internal/system/sandbox": {"Run"},
	"os/exec":                           {"Command", "CommandContext", "Cmd"},
	"os":                                {"StartProcess"},
	"syscall":                           {"Exec", "ForkExec", "StartProcess"},
	"mvdan.cc/sh/v3/interp":             {"DefaultExecHandler"},
	"golang.org/x/sys/unix":             {"Exec"},
}

// startingValues lists the variables whose method Run starts a process.
var startingValues = []string{"spares"}

// processTable lists the functions that start processes.
const processTable = "docs/dev/processes.md"

// TestProcessTable compares the table of processes with the functions that start processes.
func TestProcessTable(t *testing.T) {
	t.Parallel()
	root := os.DirFS(filepath.Join("..", "..", ".."))
	page, err := fs.ReadFile(root, processTable)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| ((?:`[^`|]+`(?:, )?)+) \\|").FindAllStringSubmatch(string(page), -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			rows = append(rows, strings.Trim(name, "`"))
		}
	}
	found, err := sources(root)
	if err != nil {
		t.Fatal(err)
	}
	var sites []string
	for _, s := range found {
		if s.test || within(s.dir, starters) && s.dir != "internal/system/process" {
			continue
		}
		text, err := fs.ReadFile(root, s.file)
		if err != nil {
			t.Fatal(err)
		}
		sites = append(sites, startedIn(t, s.file, string(text))...)
	}
	slices.Sort(sites)
	sites = slices.Compact(sites)
	for _, site := range sites {
		if !slices.Contains(rows, site) {
			t.Errorf("%s starts a process and has no row in %s: write what the process reads, who can write that, and why it is safe", site, processTable)
		}
	}
	for i, row := range rows {
		if !slices.Contains(sites, row) || slices.Contains(rows[:i], row) {
			t.Errorf("%s has a row for %s, which starts no process, or has two rows", processTable, row)
		}
	}
}

// TestStartedIn shows which functions of a file start a process.
func TestStartedIn(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ imports, statement, want string }{
		"by process":       {`"` + module + `/internal/system/process"`, `process.Run(nil, process.Spec{})`, "a/b f"},
		"by another name":  {`p "` + module + `/internal/system/process"`, `p.Start(p.Spec{})`, "a/b f"},
		"a function value": {`"` + module + `/internal/system/sandbox"`, `run := sandbox.Run; _ = run`, "a/b f"},
		"a command":        {`"os/exec"`, `exec.Command("sh")`, "a/b f"},
		"instead of it":    {`"golang.org/x/sys/unix"`, `unix.Exec("sh", nil, nil)`, "a/b f"},
		"a spare process":  {`"os"`, `_ = s.spares.Run`, "a/b f"},
		"another package":  {`"example.com/process"`, `process.Run()`, ""},
		"another function": {`"` + module + `/internal/system/process"`, `process.ExitCode(nil)`, ""},
		"a local variable": {`"os"`, `var process struct{ Run func() }; process.Run()`, ""},
	} {
		text := "package b\nimport " + row.imports + "\nfunc f() {\n" + row.statement + "\n}\n"
		if got := strings.Join(startedIn(t, "a/b/c.go", text), ", "); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
	method := "package b\nimport \"os/exec\"\nfunc (x *T[K]) m() { exec.Command(\"sh\") }\nvar v = exec.Command\n"
	if got := strings.Join(startedIn(t, "a/b/c.go", method), ", "); got != "a/b T.m, a/b" {
		t.Errorf("got %q", got)
	}
}

// startedIn returns the functions of a file that start a process, such as "internal/ui/tui status.output".
func startedIn(t *testing.T, file, text string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string][]string{}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = startingFuncs[imported]
	}
	var out []string
	for _, decl := range parsed.Decls {
		if starts := startsProcess(decl, packages); starts {
			out = append(out, strings.TrimSpace(path.Dir(file)+" "+declared(decl)))
		}
	}
	return out
}

// startsProcess reports whether a declaration refers to a function that starts a process. A type is no such reference.
func startsProcess(decl ast.Decl, packages map[string][]string) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if star, ok := n.(*ast.StarExpr); ok && qualified(star.X) == "exec.Cmd" {
			return false
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		switch x := sel.X.(type) {
		case *ast.Ident:
			found = found || slices.Contains(packages[x.Name], sel.Sel.Name)
		case *ast.SelectorExpr:
			found = found || sel.Sel.Name == "Run" && slices.Contains(startingValues, x.Sel.Name)
		}
		return true
	})
	return found
}

// declared returns the name of a function, with the type of a method; empty for other declarations.
func declared(decl ast.Decl) string {
	f, ok := decl.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.Ident:
			return t.Name + "." + f.Name.Name
		default:
			return f.Name.Name
		}
	}
}
