//go:build unix

package scripts

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

const indexFile = "../README.md"

const indexHead = `# End-to-end tests

Each directory of testdata/pages holds the scripts of one page of docs/. A script runs the real binaries in a project of its own.
Run those of a page with ` + "`go test ./internal/lab/e2e/scripts -run TestScripts/sandbox`" + `, and a single one with
` + "`go test ./internal/lab/e2e/scripts -run 'TestScripts/sandbox/^git$'`" + `.

The first sentence of a script says what it holds. Its "# Setup:" line names what it begins with: nothing is the base project,
*plugins* the same with plugins that need only a main.go, *server* a server that rejects what a real service rejects, *protocols*
such a server for each protocol in turn, *mcp* a server with an MCP server beside it, *git* git servers, *confined* a project outside
of what every sandbox policy grants, *example* a project for an example plugin, *newpoint* a build with one more hook point.

This file is generated: ` + "`go test ./internal/lab/e2e/scripts -run TestIndex -update`" + `.
`

// TestIndex compares the index with the scripts and the tests.
func TestIndex(t *testing.T) {
	t.Parallel()
	want := indexHead
	pages := readPages(t)
	for _, page := range slices.Sorted(maps.Keys(pages)) {
		want += fmt.Sprintf("\n## [%s](../../../docs/%s.md)\n\n| script | setup | what it holds |\n| --- | --- | --- |\n", page, page)
		for _, s := range pages[page] {
			want += fmt.Sprintf("| %s | %s | %s |\n", s.name, strings.TrimPrefix(s.kind, "project"), cell(s.holds))
		}
	}
	want += "\n## Tests in Go\n\nThe packages share `harness`. Programs are built once for all of them if `AURA_E2E_BIN` names an empty directory.\n\n" +
		"| package | test | what it does |\n| --- | --- | --- |\n"
	for _, test := range goTests(t) {
		want += fmt.Sprintf("| %s | %s | %s |\n", test.area, test.name, cell(test.does))
	}
	if *harness.Update {
		if err := os.WriteFile(indexFile, []byte(want), 0o644); err != nil { //nolint:gosec // it is part of the source
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(indexFile); err != nil || string(got) != want {
		t.Errorf("%s is not up to date: run go test ./internal/lab/e2e/scripts -run TestIndex -update (%v)", indexFile, err)
	}
}

// cell escapes a text for a table.
func cell(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}

// goTest is a test that is written in Go, with the first sentence of its comment.
type goTest struct{ area, name, does string }

// goTests returns the tests of all areas.
func goTests(t *testing.T) []goTest {
	t.Helper()
	files, err := filepath.Glob("../*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []goTest
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
				out = append(out, goTest{filepath.Base(filepath.Dir(name)), f.Name.Name, sentence(f)})
			}
		}
	}
	slices.SortFunc(out, func(a, b goTest) int { return cmp.Or(cmp.Compare(a.area, b.area), cmp.Compare(a.name, b.name)) })
	return out
}

// sentence returns the first sentence of a test's comment without the test's name.
func sentence(f *ast.FuncDecl) string {
	text := strings.TrimPrefix(strings.Join(strings.Fields(f.Doc.Text()), " "), f.Name.Name+" ")
	first, _, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first
}

// TestScriptsAreInOrder checks that every script lies in the directory of a page, says what it holds, and skips nothing.
func TestScriptsAreInOrder(t *testing.T) {
	t.Parallel()
	read := 0
	for page, scripts := range readPages(t) {
		read += len(scripts)
		if _, err := os.Stat(filepath.Join(harness.Repo(), "docs", page+".md")); err != nil {
			t.Errorf("a directory of scripts belongs to no page: %v", err)
		}
		for _, s := range scripts {
			if s.holds == "" {
				t.Errorf("%s: the first line must be a comment that says what the script holds", s.path)
			}
			text, err := os.ReadFile(s.path)
			if err != nil {
				t.Fatal(err)
			}
			commands, _, _ := strings.Cut(string(text), "\n-- ")
			if found := regexp.MustCompile(`(?m)^(\[.*\] *)?skip\b.*|^\[!?exec:.*`).FindString(commands); found != "" {
				t.Errorf("%s: %q hides what is missing: use a condition that AURA_TEST_REQUIRE knows", s.path, found)
			}
		}
	}
	if all := countScripts(t); all != read {
		t.Errorf("%d scripts are in testdata, but %d in the directories of pages: the others never run", all, read)
	}
}

// countScripts counts the scripts in all directories of testdata.
func countScripts(t *testing.T) int {
	t.Helper()
	count := 0
	err := filepath.WalkDir("../testdata", func(path string, _ os.DirEntry, err error) error {
		if filepath.Ext(path) == ".txtar" {
			count++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count
}
