package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/idelchi/aura/internal/author/check"
)

// unpack writes an archive to a plugin directory of this name, and adds a manifest and a go.mod if they are missing.
func unpack(tb testing.TB, name string, archive *txtar.Archive) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), name)
	files := map[string]string{"plugin.yaml": "description: test\n", "go.mod": "module " + name + "\n\ngo 1.26\n"}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	for file, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

var want = regexp.MustCompile(`// want ([\w-]+)`)

// wanted lists the findings that comments in the source expect, as FILE:LINE RULE.
func wanted(archive *txtar.Archive) []string {
	var list []string
	for _, f := range archive.Files {
		for i, line := range strings.Split(string(f.Data), "\n") {
			for _, m := range want.FindAllStringSubmatch(line, -1) {
				list = append(list, fmt.Sprintf("%s:%d %s", f.Name, i+1, m[1]))
			}
		}
	}
	return list
}

func places(dir string, found []check.Finding) []string {
	var list []string
	for _, f := range found {
		rel, err := filepath.Rel(dir, f.File)
		if err != nil {
			rel = f.File
		}
		list = append(list, fmt.Sprintf("%s:%d %s", filepath.ToSlash(rel), f.Line, f.Rule))
	}
	return list
}

// TestCorpus checks that each plugin of the corpus has exactly the findings that it was written for. The end-to-end tests use
// the same files to show that a plugin without findings does what it does in Go.
func TestCorpus(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d plugins, %v", len(names), err)
	}
	for _, name := range names {
		base := strings.TrimSuffix(filepath.Base(name), ".txtar")
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, base, archive)
			found := check.Dir(dir, check.Options{})
			if got, want := places(dir, found), wanted(archive); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v\n%v", got, want, found)
			}
			for _, f := range found {
				if f.Message == "" || f.Column == 0 || f.Plugin != base {
					t.Errorf("incomplete: %+v", f)
				}
			}
		})
	}
}

// TestExamples checks that there are no findings in the plugins of the repository.
func TestExamples(t *testing.T) {
	t.Parallel()
	var dirs []string
	for _, pattern := range []string{"../../../.aura/plugins/*/*/plugin.yaml", "../../../examples/*/plugins/*/plugin.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	if len(dirs) < 13 {
		t.Fatalf("only %d plugins", len(dirs))
	}
	for _, manifest := range dirs {
		dir := filepath.Dir(manifest)
		// It starts programs, and is off until the user permits that.
		o := check.Options{Unsafe: filepath.Base(dir) == "language-servers"}
		for _, f := range check.Dir(dir, o) {
			t.Errorf("%+v", f)
		}
	}
}
