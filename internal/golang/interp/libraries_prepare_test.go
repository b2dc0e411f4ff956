//go:build libraries

package interp

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/golang/loader"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// modules is a module that requires a library, so that the toolchain finds its packages and tests it.
type modules struct{ golang, dir string }

func (m modules) run(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), m.golang, arguments...) //nolint:gosec // the program is the toolchain
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w: %s", strings.Join(arguments, " "), err, lastLine(stderr.String()))
	}
	return string(out), err
}

// require writes the module.
func (m modules) require(t *testing.T, module, version string, packages []string) error {
	t.Helper()
	if err := os.WriteFile(filepath.Join(m.dir, "go.mod"), []byte("module libtest\n\ngo 1.26\n"), 0o600); err != nil {
		return err
	}
	arguments := []string{"get", "-t"}
	for _, p := range packages {
		arguments = append(arguments, path.Join(module, p)+"@"+version)
	}
	_, err := m.run(t, arguments...)
	return err
}

// test returns the results of a package's tests in Go.
func (m modules) test(t *testing.T, pkg string) (map[string]string, error) {
	t.Helper()
	out, err := m.run(t, "test", "-trimpath", "-vet=off", "-count=1", "-tags", strings.Join(pluginsource.Tags(), ","), "-timeout", packageLimit.String(), "-v", pkg)
	results := map[string]string{}
	for _, match := range testResult.FindAllStringSubmatch(out, -1) {
		results[match[2]] = match[1]
	}
	if len(results) == 0 {
		return nil, errors.Join(errors.New("no results"), err)
	}
	return results, nil
}

// listed is a package that the tests of a package need, with the files that it embeds.
type listed struct{ path, dir, embedded string }

// needed returns the packages outside of the standard library that the tests of a package need, and itself.
func (m modules) needed(t *testing.T, pkg string) ([]listed, error) {
	t.Helper()
	out, err := m.run(t, "list", "-deps", "-test", "-tags", strings.Join(pluginsource.Tags(), ","), "-f", "{{if not .Standard}}{{.ImportPath}}\t{{.Dir}}\t{{join .EmbedFiles \"\\t\"}}{{end}}", pkg)
	if err != nil {
		return nil, err
	}
	var all []listed
	for line := range strings.Lines(out) {
		p, rest, found := strings.Cut(strings.TrimSpace(line), "\t")
		p, _, _ = strings.Cut(p, " ")
		dir, embedded, _ := strings.Cut(rest, "\t")
		if found && !strings.HasSuffix(p, ".test") && !strings.HasSuffix(p, "_test") && !slices.ContainsFunc(all, func(l listed) bool { return l.path == p }) {
			all = append(all, listed{p, dir, embedded})
		}
	}
	return all, nil
}

// libraryPlugin is a plugin that runs the tests of a package.
type libraryPlugin struct {
	dir string
	// tests holds the files with tests, by their paths in the plugin, and what is left of their texts.
	tests map[string][]byte
	// runners maps the directories with tests to their packages' names.
	runners map[string]string
}

// plugin writes a plugin with the package, what it needs and its tests. It returns the directory in which Go runs the tests, too.
func (m modules) plugin(t *testing.T, pkg string) (*libraryPlugin, string, error) {
	t.Helper()
	all, err := m.needed(t, pkg)
	if err != nil {
		return nil, "", err
	}
	p := &libraryPlugin{dir: filepath.Join(m.dir, "plugin"), tests: map[string][]byte{}, runners: map[string]string{}}
	if err := os.RemoveAll(p.dir); err != nil {
		return nil, "", err
	}
	vendor := filepath.Join(p.dir, "vendor")
	cwd := ""
	for _, l := range all {
		to := absolute(vendor, l.path)
		names, err := filepath.Glob(filepath.Join(l.dir, "*.go"))
		if err != nil {
			return nil, "", err
		}
		if err := os.MkdirAll(to, 0o755); err != nil {
			return nil, "", err
		}
		if l.path == pkg {
			cwd = l.dir
		}
		for name := range strings.FieldsFuncSeq(l.embedded, func(r rune) bool { return r == '\t' }) {
			if strings.HasPrefix(path.Base(name), ".") {
				continue // a plugin has no hidden files
			}
			if err := copyFile(filepath.Join(to, name), filepath.Join(l.dir, name)); err != nil {
				return nil, "", err
			}
		}
		for _, name := range names {
			if err := p.add(to, name, l.path == pkg); err != nil {
				return nil, "", err
			}
		}
	}
	return p, cwd, p.write(pkg)
}

func copyFile(to, from string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}

var packageClause = regexp.MustCompile(`(?m)^package\s+(\w+)`)

// add copies a file. Those with tests of the package get names that are no names of tests, and those of the package NAME_test a directory.
func (p *libraryPlugin) add(to, name string, tested bool) error {
	base := filepath.Base(name)
	isTest := strings.HasSuffix(base, "_test.go")
	if isTest && !tested {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if !isTest {
		return os.WriteFile(filepath.Join(to, base), text, 0o600)
	}
	clause := packageClause.FindSubmatch(text)
	if clause == nil {
		return nil
	}
	pkg := string(clause[1])
	if strings.HasSuffix(pkg, "_test") {
		to = filepath.Join(to, pkg)
	}
	p.runners[to] = pkg
	p.tests[filepath.Join(to, "tests_"+strings.TrimSuffix(base, "_test.go")+".go")] = text
	return nil
}

const libraryMain = `package libtest

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/sdk"
%s)

func Command() sdk.CommandSchema { return sdk.CommandSchema{Name: "libtest", Description: "runs tests"} }

func ExecuteCommand(_ context.Context, arguments string, _ sdk.Context) (sdk.CommandResult, error) {
	skip := strings.Fields(arguments)
	var tests []testing.InternalTest
%s	tests = slices.DeleteFunc(tests, func(t testing.InternalTest) bool { return slices.Contains(skip, t.Name) })
	testing.RunTests(func(string, string) (bool, error) { return true, nil }, tests)
%s	return sdk.CommandResult{}, nil
}
`

// write writes the files of the plugin that depend on the tests: these, the functions that list them, and the plugin's own source.
func (p *libraryPlugin) write(string) error {
	var imports, tests, examples strings.Builder
	n := 0
	for dir, name := range p.runners {
		functions, err := p.runner(dir, name)
		if err != nil {
			return err
		}
		if !functions {
			continue
		}
		rel, err := filepath.Rel(filepath.Join(p.dir, "vendor"), dir)
		if err != nil {
			return err
		}
		fmt.Fprintf(&imports, "\tt%d %q\n", n, filepath.ToSlash(rel))
		fmt.Fprintf(&tests, "\ttests = append(tests, t%d.AuraTests()...)\n", n)
		fmt.Fprintf(&examples, "\tt%d.AuraExamples(skip)\n", n)
		n++
	}
	for name, text := range map[string]string{
		"go.mod": "module libtest\n\ngo 1.26\n", "plugin.yaml": "description: runs the tests of a library\n",
		"main.go": fmt.Sprintf(libraryMain, imports.String(), tests.String(), examples.String()),
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// runner writes the files with tests in one directory and the functions that list them. It reports whether there are any.
func (p *libraryPlugin) runner(dir, name string) (bool, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	var tests, examples strings.Builder
	var trees []*ast.File
	set := token.NewFileSet()
	for file, text := range p.tests {
		if filepath.Dir(file) != dir {
			continue
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return false, err
		}
		if matched, err := pluginsource.Matches(pluginsource.BuildContext(pluginsource.LanguageMinor), file, text); err != nil || !matched {
			continue
		}
		tree, err := parser.ParseFile(set, file, text, parser.ParseComments)
		if err != nil {
			return false, err
		}
		trees = append(trees, tree)
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && isTest(f) {
				// A panic is a failure, so that the process goes on.
				fmt.Fprintf(&tests, "\t\t{Name: %q, F: func(t *testing.T) {\n\t\t\tdefer func() {\n\t\t\t\tif r := recover(); r != nil {\n"+
					"\t\t\t\t\tt.Errorf(\"panic: %%v\", r)\n\t\t\t\t}\n\t\t\t}()\n\t\t\t%s(t)\n\t\t}},\n", f.Name.Name, f.Name.Name)
			}
		}
	}
	for _, e := range doc.Examples(trees...) {
		if e.Output == "" && !e.EmptyOutput {
			continue
		}
		head := "Example" + e.Name
		called := head
		if e.Unordered {
			head += " unordered"
		}
		fmt.Fprintf(&examples, "\tif !slices.Contains(skip, %q) {\n\t\tfmt.Print(%q)\n\t\t%s()\n\t\tfmt.Print(%q)\n\t}\n",
			called, exampleBegins+head+exampleWants+e.Output+exampleHas, called, exampleEnds)
	}
	text := fmt.Sprintf("package %s\n\nimport (\n\t\"fmt\"\n\t\"slices\"\n\t\"testing\"\n)\n\nfunc AuraTests() []testing.InternalTest {\n"+
		"\treturn []testing.InternalTest{\n%s\t}\n}\n\nfunc AuraExamples(skip []string) {\n\t_ = slices.Contains(skip, \"\")\n\tfmt.Print(\"\")\n%s}\n", name, tests.String(), examples.String())
	return true, os.WriteFile(filepath.Join(dir, "aura_tests.go"), []byte(text), 0o600)
}

// isTest reports whether a function is a test.
func isTest(f *ast.FuncDecl) bool {
	rest, found := strings.CutPrefix(f.Name.Name, "Test")
	if !found || f.Recv != nil || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' || f.Type.Params.NumFields() != 1 {
		return false
	}
	star, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	t, ok := star.X.(*ast.SelectorExpr)
	return ok && t.Sel.Name == "T"
}

// fit removes the declarations of tests for which the plugin is refused, with the reason, until it loads. It returns the reason if the library
// itself is refused.
func (p *libraryPlugin) fit(t *testing.T, reasons map[string]string) string {
	t.Helper()
	for began := time.Now(); time.Since(began) < packageLimit; {
		read, err := loader.Read(p.dir, loader.Target{Unsafe: true, System: systemLibrary})
		if err == nil {
			_, err = read.Lower()
		}
		if err == nil {
			return ""
		}
		refused, ok := errors.AsType[*loader.Error](err)
		if !ok || !p.remove(refused, reasons) {
			rel := strings.ReplaceAll(err.Error(), p.dir+string(filepath.Separator), "")
			return "refused: " + rel
		}
		if err := p.write(""); err != nil {
			return err.Error()
		}
	}
	return "refused in more places than were tried"
}

// remove removes the declaration in a file of tests to which an error belongs.
func (p *libraryPlugin) remove(refused *loader.Error, reasons map[string]string) bool {
	text, ok := p.tests[refused.File]
	if !ok {
		return false
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, refused.File, text, parser.ParseComments)
	if err != nil {
		return false
	}
	for _, d := range tree.Decls {
		from, to := set.Position(d.Pos()), set.Position(d.End())
		if refused.Line < from.Line || refused.Line > to.Line {
			continue
		}
		name := "a declaration"
		switch d := d.(type) {
		case *ast.FuncDecl:
			name = d.Name.Name
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				return p.removeImport(refused, set, tree, reasons)
			}
		}
		reasons[name] = "refused: " + strings.ReplaceAll(refused.Error(), p.dir+string(filepath.Separator), "")
		fmt.Printf("  removed %s: %s\n", name, strings.ReplaceAll(refused.Error(), p.dir+string(filepath.Separator), ""))
		kept := slices.Clone(text)
		for i := from.Offset; i < min(to.Offset, len(kept)); i++ {
			if kept[i] != '\n' {
				kept[i] = ' '
			}
		}
		// Imports that are not needed any more are accepted by the interpreter.
		p.tests[refused.File] = kept
		return true
	}
	return false
}

// removeImport removes a file with an import that is refused.
func (p *libraryPlugin) removeImport(refused *loader.Error, set *token.FileSet, tree *ast.File, reasons map[string]string) bool {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			reasons[f.Name.Name] = "refused: " + strconv.Quote(refused.Message)
		}
	}
	_ = set
	delete(p.tests, refused.File)
	return os.Remove(refused.File) == nil
}
