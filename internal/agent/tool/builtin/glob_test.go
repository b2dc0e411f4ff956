package builtin

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestGlobber compares what is found with what the library finds for the whole pattern.
func TestGlobber(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/a/a/x.go", "a/b/a/y.go", "a/b/c/x.go", "b/a/x.go", "b/x.txt", "x.go", "c d/{e}/x.go", "a/[f]/g.go"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	testneed.Link(t, filepath.Join(dir, "a", "b"), filepath.Join(dir, "b", "link"))
	g := &globber{base: dir, stopped: func() error { return nil }}
	for _, pattern := range []string{
		"*", "**", "**/", "**/*", "**/*.go", "a/**", "a/**/", "a/**/x.go", "**/a/**/x.go", "**/a/**/a/**", "**/a/**/a/", "**/**/x.go", "**/**",
		"a/**/**/c/**/*", "*/**/*/**/x.*", "{a,b}/**/a/**/*.go", "**/{a,b}/**/{x,y}.go", "**/{a/b,b}/**/x.go", "{a/**,b}/**/x.go", "{**/a/**/y,x}.go", "**/link/**/x.go", "b/link/*/x.go",
		"**/\\{e\\}/**/x.go", "**/\\[f\\]/*", "a**/**/x.go", "x.go/**", "**/x.go/**", "**/x.go/**/y", "nothing/**/x.go", "**/a/*/**", "a/b", "a/", "./a/**",
	} {
		got, err := g.find(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		want := entries{}
		err = doublestar.GlobWalk(os.DirFS(dir), pattern, func(name string, d fs.DirEntry) error {
			want[strings.TrimSuffix(name, "/")] = d
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if names, all := slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)); !slices.Equal(names, all) {
			t.Errorf("%s: got %q, want %q", pattern, names, all)
		}
	}
}

// TestGlobberIsFast finds files with patterns for which trying all ways to fit them takes longer than a test can.
func TestGlobberIsFast(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("a/", 40)), 0o755); err != nil {
		t.Fatal(err)
	}
	g := &globber{base: dir, stopped: func() error { return nil }}
	for pattern, want := range map[string]int{
		strings.Repeat("**/a/", 7) + "**/zzz": 0, strings.Repeat("**/a/", 12) + "**": 29, strings.Repeat("**/", 30) + "a": 40,
		strings.Repeat("**/{a,b}/", 12) + "a": 28,
	} {
		if found, err := g.find(pattern); err != nil || len(found) != want {
			t.Errorf("%s: found %d, %v", pattern, len(found), err)
		}
	}
	if _, err := g.find("{" + strings.Repeat("**/a/", 7) + "x,y}"); err == nil || !strings.Contains(err.Error(), "braces cannot hold more than 2 **") {
		t.Errorf("got %v", err)
	}
}

// TestGlobberLeavesCycles finds files in a directory with links to itself and to the one above it.
func TestGlobberLeavesCycles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"one": ".", "two": ".", "a/three": "..", "a/b/four": "../../a", "a/five": "b"} {
		testneed.Link(t, target, filepath.Join(dir, filepath.FromSlash(name)))
	}
	g := &globber{base: dir, stopped: func() error { return nil }}
	found, err := g.find("**")
	const want = ". a a/b a/b/four a/five a/five/four a/three one two"
	if got := strings.Join(slices.Sorted(maps.Keys(found)), " "); got != want || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}
