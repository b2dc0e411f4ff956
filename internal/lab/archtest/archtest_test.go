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

// TestTable checks the table itself: each package that a row allows must have a row of its own.
func TestTable(t *testing.T) {
	t.Parallel()
	for dir, allowed := range rooms {
		for _, entry := range allowed {
			if _, ok := room(strings.TrimSuffix(entry, "/...")); entry != anything && !ok {
				t.Errorf("row %s allows %s, which has no row", dir, entry)
			}
		}
	}
}

// TestViolations shows that each rule can fail, with made-up repositories.
func TestViolations(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		name, text string
		want       string // part of the message; empty if the file is fine
	}{
		"allowed edge": {"internal/agent/session/a.go", `import "github.com/idelchi/aura/internal/agent/llm"`, ""},
		"forbidden edge": {
			"internal/agent/llm/a.go", `import "github.com/idelchi/aura/internal/agent/session"`,
			`internal/agent/llm/a.go imports "github.com/idelchi/aura/internal/agent/session": the row of internal/agent/llm allows []`,
		},
		"forbidden edge under a build tag": {
			"internal/agent/llm/a_plan9.go", `import "github.com/idelchi/aura/host"`, "internal/agent/llm/a_plan9.go imports",
		},
		"wildcard row":                    {"internal/agent/llm/script/a.go", `import "github.com/idelchi/aura/internal/base/strictyaml"`, ""},
		"wildcard row, forbidden":         {"internal/agent/llm/script/a.go", `import "github.com/idelchi/aura/host"`, "the row of internal/agent/llm/script"},
		"whole tree":                      {"host/a.go", `import "github.com/idelchi/aura/shared/wire"`, ""},
		"vocabulary":                      {"internal/agent/conversation/a.go", `import "github.com/idelchi/aura/internal/plugin/hookpoint"`, ""},
		"vocabulary from a leaf":          {"internal/base/strictyaml/a.go", `import "github.com/idelchi/aura/internal/plugin/hookpoint"`, "the row of internal/base/strictyaml allows []"},
		"anything":                        {"internal/app/a.go", `import "github.com/idelchi/aura/host"`, ""},
		"anything but the reserved":       {"internal/app/a.go", `import "github.com/idelchi/aura/internal/golang/interp"`, "reserved for cmd/aura-plugin-host"},
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
		"no row":                          {"internal/misc/a.go", "", "internal/misc: no row"},
		"no package at the root":          {"a.go", "", ".: no row"},
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
