package pluginsource_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/pluginsource"
)

// tree writes files and returns their directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestImports(t *testing.T) {
	t.Parallel()

	dir := tree(t, map[string]string{
		"a.go":                      "package p\n\nimport (\n\t\"fmt\"\n\tx \"os/exec\"\n)\n\nfunc {",
		"a_test.go":                 "package p\nimport \"testing\"",
		"broken.go":                 "package p\nimport fmt",
		"skip.go":                   "//go:build ignore\n\npackage p\nimport \"plugin\"",
		"new.go":                    "//go:build go1.26\n\npackage p\nimport \"net/http\"",
		"pure.go":                   "//go:build purego\n\npackage p\nimport \"syscall\"",
		"sub/b.go":                  "package sub\nimport _ \"net\"",
		"vendor/example.com/v/v.go": "package v\nimport \"unsafe\"",
		".hidden/c.go":              "package c\nimport \"io\"",
		"data.txt":                  "import",
	})
	want := []string{"fmt", "net", "net/http", "os/exec", "syscall", "unsafe"}
	if got := pluginsource.Imports(dir, nil); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	only := func(text []byte) bool { return strings.Contains(string(text), "unsafe") }
	if got := pluginsource.Imports(dir, only); !slices.Equal(got, []string{"unsafe"}) {
		t.Errorf("got %q, want what one file imports", got)
	}
}

func TestDefines(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name, give string
		want       bool
	}{
		{"function", "package p\nfunc Guard() {}", true},
		{"with parameters over lines", "package p\nfunc Guard(\n\ta int,\n) {}", true},
		{"method", "package p\ntype T int\nfunc (T) Guard() {}", false},
		{"another name", "package p\nfunc Guarded() {}", false},
		{"variable", "package p\nvar Guard = func() {}", true},
		{"one of several variables", "package p\nvar (\n\tx, Guard = 1, f\n)", true},
		{"constant", "package p\nconst Guard = 1", false},
		{"type", "package p\ntype Guard func()", false},
		{"local variable", "package p\nfunc f() { var Guard = 1; _ = Guard }", false},
		{"variable in a file that does not parse", "pakcage p\nvar Guard = func() {", true},
		{"in a file for this Go and no newer one", "//go:build go1.26 && !go1.27\n\npackage p\nfunc Guard() {}", true},
		{"in a file without assembly", "//go:build purego\n\npackage p\nfunc Guard() {}", true},
		{"in a file for a newer Go, which may compile it", "//go:build go1.27\n\npackage p\nfunc Guard() {}", true},
		{"in a file for one newer Go", "//go:build go1.29 && !go1.30\n\npackage p\nfunc Guard() {}", true},
		{"in a file for an older Go", "//go:build !go1.20\n\npackage p\nfunc Guard() {}", false},
		{"in a file for a newer Go of another system", "//go:build go1.29 && plan9\n\npackage p\nfunc Guard() {}", false},
		{"in a comment", "package p\n/*\nfunc Guard() {}\n*/", false},
		{"broken before", "package p\nfunc x( {\n}\nfunc Guard() {}", true},
		{"broken within", "package p\nfunc Guard() { if }", true},
		{"broken beyond parsing", "pakcage p\n)))\nfunc Guard(ctx context.Context) {", true},
		{"broken and without it", "pakcage p\n", false},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			dir := tree(t, map[string]string{"a.go": "package p", "b.go": tt.give, "sub/c.go": "package sub\nfunc Other() {}"})
			if got := pluginsource.Defines(dir, "Guard"); got != tt.want {
				t.Errorf("got %v", got)
			}

			if pluginsource.Defines(dir, "Other") {
				t.Error("a function of another package counts")
			}
		})
	}

	if pluginsource.Defines(filepath.Join(t.TempDir(), "gone"), "Guard") {
		t.Error("a missing directory defines something")
	}
}

func TestMayLeaveSandbox(t *testing.T) {
	t.Parallel()
	for rule, tt := range map[string]struct {
		source string
		want   bool
	}{
		"no function":               {"func Other() bool { return false }", false},
		"returns true":              {"func Sandboxable() bool { return true }", false},
		"returns false":             {"func Sandboxable() bool { return false }", true},
		"decides":                   {"func Sandboxable() bool { if x { return true }; return true }", true},
		"a method":                  {"type T int\nfunc (T) Sandboxable() bool { return false }", false},
		"a variable that is true":   {"var Sandboxable = func() bool { return true }", false},
		"a variable that is false":  {"var Sandboxable = func() bool { return false }", true},
		"a variable set elsewhere":  {"var Sandboxable = decide", true},
		"a name in a comment alone": {"// Sandboxable", false},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"a.go": "package p\n" + tt.source})
			if got := pluginsource.MayLeaveSandbox(dir); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestOutside(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"sub/deep/a.go": "", "vendor/x/a.go": "", ".hidden/a.go": "", "file.go": ""})
	for link, target := range map[string]string{"linked": "sub", "sub/linked": ".", "up": ".."} {
		testneed.Link(t, target, filepath.Join(dir, filepath.FromSlash(link)))
	}
	for rel, want := range map[string]string{
		"": "", "sub": "", "sub/deep": "", "vendor/x": "", "nowhere/at/all": "",
		".hidden": "hidden", "sub/.hidden": "hidden", "..": "hidden", "sub/../..": "hidden",
		"linked": "is a link", "linked/deep": "is a link", "sub/linked": "is a link", "up": "is a link",
	} {
		if got, _ := pluginsource.Outside(dir, rel); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", rel, got, want)
		}
	}
}
