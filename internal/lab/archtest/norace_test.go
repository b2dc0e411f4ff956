package archtest_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// startsGoroutine matches a statement that starts a goroutine. Parallel tests are no such statement.
var startsGoroutine = regexp.MustCompile(`(?m)^\s*go (func\b|\w+[.(])|\.Go\(func\b`)

// TestNoraceFiles checks the files with tests that do without the race detector: 'make test-norace' finds them by their names, and 'make
// test-packages' leaves them out by their constraint. They start no goroutines.
func TestNoraceFiles(t *testing.T) {
	t.Parallel()
	root, found := os.DirFS("../../.."), 0
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skipped(name) || name == "tools"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(root, name)
		first, _, _ := strings.Cut(string(text), "\n")
		norace := strings.HasSuffix(name, "_norace_test.go")
		if norace {
			found++
		}
		switch tests := strings.Contains(string(text), "\nfunc Test"); {
		case norace && first != "//go:build !race" && first != "//go:build linux && !race":
			t.Errorf("%s: the first line is %q, want //go:build !race, perhaps with linux", name, first)
		case !norace && tests && strings.HasPrefix(first, "//go:build") && strings.Contains(first, "!race"):
			t.Errorf("%s: 'make test' does not run its tests; its name must end in _norace_test.go", name)
		case norace && startsGoroutine.Match(text):
			t.Errorf("%s starts a goroutine: the race detector must watch it", name)
		}
		return err
	})
	if err != nil || found == 0 {
		t.Fatalf("%d files found, %v", found, err)
	}
}
