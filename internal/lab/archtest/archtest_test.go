package archtest_test

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestImportDirections checks every Go file of the repository.
func TestImportDirections(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatalf("finding the root of the repository: %v", err)
	}
	files, err := sources(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("found only %d Go files: is %s the root?", len(files), root)
	}
	for _, v := range violations(files) {
		t.Error(v)
	}
}

// TestTable checks that the tables name what exists: each district is a directory with packages, and each directory below internal is
// a district. The entries of the table inside are packages.
func TestTable(t *testing.T) {
	t.Parallel()
	files, err := sources(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	found := map[string]bool{}
	for _, f := range files {
		packages[f.dir] = true
		name, _ := district(f.dir)
		found[name] = true
	}
	for _, names := range districts {
		for _, name := range names {
			if !found[name] {
				t.Errorf("the district %s has no package", name)
			}
		}
	}
	for name, rows := range inside {
		for from, to := range rows {
			for _, p := range append(slices.Clone(to), from) {
				if dir := path.Join(name, p); !packages[dir] {
					t.Errorf("the table inside names %s, which is no package", dir)
				}
			}
		}
	}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := "internal/" + e.Name(); !found[name] {
			t.Errorf("%s is no district", name)
		}
	}
}

// TestDistrictsAreDocumented compares the districts with the rows of their table in ARCHITECTURE.md.
func TestDistrictsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Districts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var got [][]string
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		got = append(got, quoted(cells[1]))
		for _, begin := range quoted(cells[3]) {
			if _, err := os.Stat(filepath.Join("..", "..", "..", begin)); err != nil {
				t.Errorf("reading %s begins at %s: %v", cells[1], begin, err)
			}
		}
	}
	want := append(slices.Clone(districts), outside)
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("ARCHITECTURE.md has the districts\n%q, want\n%q", got, want)
	}
}

// TestPackagesAreDocumented checks that the tables of ARCHITECTURE.md name every package of the districts. A row with a brace names
// several, and generators need no row.
func TestPackagesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Packages\n")
	section, _, _ = strings.Cut(section, "\n## ")
	named := map[string]bool{}
	for line := range strings.Lines(section) {
		for _, name := range quoted(line) {
			before, rest, _ := strings.Cut(name, "{")
			list, _, _ := strings.Cut(rest, "}")
			for part := range strings.SplitSeq(list, ",") {
				named[before+part] = true
			}
		}
	}
	files, err := sources(os.DirFS(filepath.Join("..", "..", "..")))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		at, _ := district(f.dir)
		if !f.test && !slices.Contains(outside, at) && path.Base(f.dir) != "gen" && !named[f.dir] {
			named[f.dir] = true // once is enough
			t.Errorf("ARCHITECTURE.md does not say what %s owns", f.dir)
		}
	}
}

// quoted returns the names in backquotes, without slashes at their ends.
func quoted(cell string) []string {
	var names []string
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			names = append(names, strings.TrimSuffix(part, "/"))
		}
	}
	return names
}

// TestViolations shows that each rule can fail, with made-up repositories.
func TestViolations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, text string
		want       string // part of the message; empty if the file is fine
	}{
		"below": {"internal/agent/session/a.go", `import "github.com/idelchi/aura/internal/base/lock"`, ""},
		"above": {
			"internal/agent/llm/a.go", `import "github.com/idelchi/aura/internal/app/frontend"`,
			`internal/agent/llm/a.go imports "github.com/idelchi/aura/internal/app/frontend": internal/app is not below internal/agent`,
		},
		"beside":                          {"host/a.go", `import "github.com/idelchi/aura/internal/golang/box"`, "internal/golang is not below host"},
		"above, under a build tag":        {"internal/agent/llm/a_plan9.go", `import "github.com/idelchi/aura/internal/cli"`, "internal/cli is not below"},
		"inside, allowed":                 {"internal/agent/session/a.go", `import "github.com/idelchi/aura/internal/agent/llm"`, ""},
		"inside, forbidden":               {"internal/agent/llm/a.go", `import "github.com/idelchi/aura/internal/agent/session"`, "inside of internal/agent, llm may import []"},
		"inside, its own directory":       {"internal/fleet/batch/a.go", `import "github.com/idelchi/aura/internal/fleet"`, ""},
		"a test helper":                   {"internal/app/a.go", `import "github.com/idelchi/aura/internal/lab/testneed"`, "only tests and tools import internal/lab"},
		"outside":                         {"internal/lab/bench/a.go", `import "github.com/idelchi/aura/internal/app"`, ""},
		"reserved":                        {"internal/app/a.go", `import "github.com/idelchi/aura/internal/golang/interp"`, "reserved for cmd/aura-plugin-host"},
		"interpreter in its room":         {"internal/golang/interp/a.go", `import "github.com/traefik/yaegi/interp"`, ""},
		"interpreter elsewhere":           {"host/a.go", `import "github.com/traefik/yaegi/interp"`, "reserved for internal/golang/interp"},
		"interpreter in a test":           {"host/a_test.go", `import "github.com/traefik/yaegi"`, "reserved for internal/golang/interp"},
		"similar name":                    {"host/a.go", `import "github.com/traefik/yaegi2"`, ""},
		"go-plugin in its room":           {"shared/client/a.go", `import "github.com/hashicorp/go-plugin"`, ""},
		"go-plugin elsewhere":             {"internal/app/a.go", `import "github.com/hashicorp/go-plugin/runner"`, "reserved for host and shared"},
		"sdk on the standard":             {"sdk/a.go", `import "net/http"`, ""},
		"sdk on a library":                {"sdk/version/a.go", `import "gopkg.in/yaml.v3"`, "the standard library only"},
		"sdk upward":                      {"sdk/a.go", `import "github.com/idelchi/aura/internal/plugin/hookpoint"`, "the standard library only"},
		"tests are free":                  {"internal/agent/llm/a_test.go", `import "github.com/idelchi/aura/host"`, ""},
		"tests may drive the interpreter": {"host/a_test.go", `import "github.com/idelchi/aura/internal/golang/interp"`, ""},
		"no district":                     {"internal/misc/a.go", "", "internal/misc: in no district"},
		"no package at the root":          {"a.go", "", ".: in no district"},
		"plugins are not ours":            {"host/testdata/p/a.go", `import "github.com/traefik/yaegi"`, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := fstest.MapFS{
				tt.name:                                {Data: []byte("package p\n\n" + tt.text + "\n")},
				path.Join(path.Dir(tt.name), "doc.go"): {Data: []byte("// Package p is documented.\npackage p\n")},
			}
			got := inspect(t, repo)
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("violations = %q, want none", got)
			case tt.want != "" && !slices.ContainsFunc(got, func(v string) bool { return strings.Contains(v, tt.want) }):
				t.Errorf("violations = %q, want one with %q", got, tt.want)
			}
		})
	}
}

// TestPackageComment shows what counts as a package comment.
func TestPackageComment(t *testing.T) {
	t.Parallel()
	const missing = "host: no file other than a test has a package comment"
	tests := map[string]struct {
		repo fstest.MapFS
		fine bool
	}{
		"none":           {fstest.MapFS{"host/a.go": {Data: []byte("package host\n")}}, false},
		"apart from it":  {fstest.MapFS{"host/a.go": {Data: []byte("// Package host.\n\npackage host\n")}}, false},
		"directive only": {fstest.MapFS{"host/a.go": {Data: []byte("//go:debug x=1\npackage host\n")}}, false},
		"in a test only": {fstest.MapFS{"host/a_test.go": {Data: []byte("// Package host.\npackage host\n")}}, false},
		"in one of two": {fstest.MapFS{
			"host/a.go": {Data: []byte("// Package host.\npackage host\n")},
			"host/b.go": {Data: []byte("package host\n")},
		}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := inspect(t, tt.repo); slices.Contains(got, missing) == tt.fine {
				t.Errorf("violations = %q, want fine = %t", got, tt.fine)
			}
		})
	}
}

func inspect(t *testing.T, repo fstest.MapFS) []string {
	t.Helper()
	files, err := sources(repo)
	if err != nil {
		t.Fatal(err)
	}
	return violations(files)
}
