package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// rationale explains the dependencies.
const rationale = "docs/dev/rationale/libraries.md"

// TestLibraries checks that the page of libraries says why each direct dependency is there, and names no other.
func TestLibraries(t *testing.T) {
	t.Parallel()
	rows := rationaleRows(t)
	for table, modules := range map[string][]string{"library": {"go.mod"}, "tool": {"tools/go.mod", "tools/release/go.mod"}} {
		var have []string
		for _, path := range modules {
			have = append(have, directOf(t, path)...)
		}
		named := rows[table]
		if len(have) < 5 || len(named) < 5 {
			t.Fatalf("%v: %d dependencies, and %d in the table", modules, len(have), len(named))
		}
		for _, path := range have {
			if !slices.Contains(named, path) {
				t.Errorf("%v requires %s: say in %s why", modules, path, rationale)
			}
		}
		for _, path := range named {
			if !slices.Contains(have, path) {
				t.Errorf("%s says why %s is there, and %v do not require it", rationale, path, modules)
			}
		}
	}
}

// directOf returns the modules that a module requires itself, and the packages of its tools.
func directOf(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range file.Require {
		if !r.Indirect && !strings.HasPrefix(r.Mod.Path, "github.com/idelchi/aura") {
			out = append(out, strings.TrimPrefix(r.Mod.Path, "github.com/"))
		}
	}
	for _, tool := range file.Tool {
		// A tool of a required module is explained with the module.
		path := strings.TrimPrefix(tool.Path, "github.com/")
		if i := strings.Index(path, "/cmd/golangci-lint"); i >= 0 {
			path = path[:i]
		}
		if !slices.ContainsFunc(out, func(have string) bool { return path == have || strings.HasPrefix(path, have+"/") }) {
			out = append(out, path)
		}
	}
	return out
}

var alternatives = regexp.MustCompile(`^(.*)\{(.*)\}$`)

// rationaleRows returns the names in the first columns of the tables of dependencies, by the title of the column.
func rationaleRows(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(rationale)))
	if err != nil {
		t.Fatal(err)
	}
	out, table := map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		first := strings.TrimPrefix(cells[0], "| ")
		switch {
		case len(cells) != 2 || !strings.HasPrefix(line, "| "):
			if !strings.HasPrefix(line, "|") {
				table = ""
			}
		case cells[1] == "why |":
			table = first
		case table != "" && !strings.HasPrefix(first, "---"):
			out[table] = append(out[table], namesIn(first)...)
		}
	}
	return out
}

// namesIn splits a list of names. In a name, {a,b} stands for either.
func namesIn(list string) []string {
	var out []string
	for name := range strings.SplitSeq(list, ", ") {
		m := alternatives.FindStringSubmatch(name)
		if m == nil {
			out = append(out, name)
			continue
		}
		for part := range strings.SplitSeq(m[2], ",") {
			out = append(out, m[1]+part)
		}
	}
	return out
}
