package plugindev_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/author/plugindev"
)

// tree is the plugin's directory in a test.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T) tree {
	t.Helper()
	// The parent directory holds other plugins.
	f := tree{t, filepath.Join(t.TempDir(), "plugins", "mine")}
	f.write("main.go", "package mine")
	f.write("sub/part.go", "package sub")
	f.write("vendor/lib/lib.go", "package lib")
	f.write("../other/main.go", "package other")
	return f
}

func (f tree) check(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f tree) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f tree) write(name, text string) {
	f.t.Helper()
	f.check(os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	f.check(os.WriteFile(f.path(name), []byte(text), 0o600))
}

func (f tree) rename(from, to string) {
	f.t.Helper()
	f.check(os.Rename(f.path(from), f.path(to)))
}

func (f tree) watch(path string) *plugindev.Watcher {
	f.t.Helper()
	w, err := plugindev.Watch(path)
	f.check(err)
	f.t.Cleanup(w.Close)
	return w
}

// until receives changes until one of them names a file. It returns all names.
func until(t *testing.T, w *plugindev.Watcher, name string) []string {
	t.Helper()
	var names []string
	for !slices.Contains(names, name) {
		select {
		case c := <-w.Changes():
			if c.Err != nil {
				t.Fatal(c.Err)
			}
			names = append(names, c.Files...)
		case <-t.Context().Done():
			t.Fatal("no change of " + name)
		}
	}
	return names
}

// TestWatch saves files in the ways of editors. Each row ends with a change of the file last.go, so that a file that must not be
// reported has had its chance.
func TestWatch(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		save func(f tree)
		want []string
	}{
		"write":               {func(f tree) { f.write("main.go", "package mine // 2") }, []string{"main.go"}},
		"below":               {func(f tree) { f.write("sub/part.go", "package sub // 2") }, []string{"sub/part.go"}},
		"rename over":         {func(f tree) { f.write("main.go.new", "package mine // 2"); f.rename("main.go.new", "main.go") }, []string{"main.go"}},
		"backup, then write":  {func(f tree) { f.rename("main.go", ".main.go~"); f.write("main.go", "package mine // 2") }, []string{"main.go"}},
		"truncate, then more": {func(f tree) { f.write("main.go", ""); f.write("main.go", "package mine // 2") }, []string{"main.go"}},
		"new directory":       {func(f tree) { f.write("a/b/c.go", "package b") }, []string{"a/b/c.go"}},
		"hidden":              {func(f tree) { f.write(".git/index", "x"); f.write("sub/.part.go.swp", "x") }, nil},
		"vendored":            {func(f tree) { f.write("vendor/lib/lib.go", "package lib // 2") }, nil},
		"another plugin":      {func(f tree) { f.write("../other/main.go", "package other // 2") }, nil},
		"permissions":         {func(f tree) { f.check(os.Chmod(f.path("main.go"), 0o644)) }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTree(t)
			w := f.watch(f.dir)
			tt.save(f)
			f.write("last.go", "package mine")
			got := until(t, w, "last.go")
			for _, name := range tt.want {
				if !slices.Contains(got, name) {
					t.Errorf("%q are reported, without %s", got, name)
				}
			}
			if tt.want == nil && len(got) > 1 {
				t.Errorf("%q are reported, want only last.go", got)
			}
		})
	}
}

// TestLater checks that what is made later is watched: files in a new directory, and the plugin's directory made again.
func TestLater(t *testing.T) {
	t.Parallel()
	f := newTree(t)
	w := f.watch(f.dir)
	f.write("new/part.go", "package new")
	until(t, w, "new/part.go")
	f.write("new/part.go", "package new // 2")
	until(t, w, "new/part.go")
	f.rename(".", "../away")
	until(t, w, "mine")
	f.write("main.go", "package mine // 2")
	<-w.Changes()
	f.write("main.go", "package mine // 3")
	until(t, w, "main.go")
}

// TestLinks checks that a linked directory below the plugin is not watched, and that the plugin itself may be a link.
func TestLinks(t *testing.T) {
	t.Parallel()
	f := newTree(t)
	f.check(os.Symlink(f.path("../other"), f.path("linked")))
	f.check(os.Symlink(f.dir, f.path("../by-link")))
	w := f.watch(f.path("../by-link"))
	f.write("../other/main.go", "package other // 2")
	f.write("last.go", "package mine")
	if got := until(t, w, "last.go"); len(got) > 1 {
		t.Errorf("%q are reported, want only last.go", got)
	}
}

// TestFile watches an extension that is one file.
func TestFile(t *testing.T) {
	t.Parallel()
	f := newTree(t)
	w := f.watch(f.path("main.go"))
	f.write("other.go", "package mine")
	f.write("main.go", "package mine // 2")
	if got := until(t, w, "main.go"); len(got) > 1 {
		t.Errorf("%q are reported, want only main.go", got)
	}
}

// TestLastSave saves a file many times while nobody receives: the last save is reported.
func TestLastSave(t *testing.T) {
	t.Parallel()
	f := newTree(t)
	w := f.watch(f.dir)
	last := ""
	for i := range 300 {
		last = fmt.Sprintf("package mine // %03d", i)
		f.write("main.go", last)
	}
	for {
		until(t, w, "main.go")
		if text, err := os.ReadFile(f.path("main.go")); err != nil || string(text) == last {
			f.check(err)
			return
		}
	}
}
