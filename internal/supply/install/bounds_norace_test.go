//go:build !race

package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

func TestTreeOfTrees(t *testing.T) {
	t.Parallel()

	// Each tree names the tree below it many times, so that a few objects expand to any number of files.
	dir := t.TempDir()
	st := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	if _, err := git.Init(st, nil); err != nil {
		t.Fatal(err)
	}
	put := func(kind plumbing.ObjectType, text []byte) plumbing.Hash {
		o := st.NewEncodedObject()
		o.SetType(kind)
		w, err := o.Writer()
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = w.Close()
		h, err := st.SetEncodedObject(o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := put(plumbing.BlobObject, []byte("x"))
	mode := "100644 "
	for range 8 {
		var tree []byte
		for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
			tree = append(append(tree, mode+name+"\x00"...), h[:]...)
		}
		h, mode = put(plumbing.TreeObject, tree), "40000 "
	}
	commit := &object.Commit{TreeHash: h}
	err := export(t.Context(), st, commit, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "more than 10000 files") {
		t.Errorf("got %v", err)
	}
}

func TestLocalRefuses(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name  string
		files map[string]string
		make  func(dir string) error
		want  string
	}{
		{"link out of the tree", sound(), func(dir string) error { return os.Symlink("../../secret", filepath.Join(dir, "z")) }, "symbolic link"},
		{"absolute link", sound(), func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "z")) }, "leads out of the source"},
		{"too large", sound(), func(dir string) error {
			return os.Truncate(filepath.Join(dir, "main.go"), MaxBytes+1)
		}, "more than 200 MB"},
		{"too many", sound(), func(dir string) error {
			for i := range MaxFiles {
				name := filepath.Join(dir, "f"+string(rune('a'+i%26))+strings.Repeat("x", i/26%20)+time.Duration(i).String())
				if err := os.WriteFile(name, nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		}, "more than 10000 files"},
		{"not there", sound(), os.RemoveAll, "no such file"},
		{"no plugin", map[string]string{"x": ""}, func(string) error { return nil }, "there is no plugin.yaml"},
		{"two of one name", map[string]string{"a/plugin.yaml": "name: n", "b/plugin.yaml": "name: n"}, func(string) error { return nil }, `two plugins are named "n"`},
		{
			"replacement that leads out", with(map[string]string{"go.mod": "module greet\n\ngo 1.25\n\nreplace example.com/x => ../../../x\n"}),
			func(string) error { return nil }, "the replacement of example.com/x leads out of the source",
		},
		{
			"absolute replacement", with(map[string]string{"go.mod": "module greet\n\ngo 1.25\n\nreplace example.com/x => /home/me/x\n"}),
			func(string) error { return nil }, "the replacement of example.com/x leads out of the source",
		},
		{"broken go.mod", with(map[string]string{"go.mod": "module greet\n\nrequire (\n"}), func(string) error { return nil }, "reading the module: go.mod:"},
		{
			"SDK that is newer", with(map[string]string{"go.mod": "module greet\n\nrequire github.com/idelchi/aura/sdk v0.99.0\n"}),
			func(string) error { return nil }, `plugin "x": plugin requires SDK ~0.99.0, host has `,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "src")
			write(t, dir, tt.files)
			if err := tt.make(dir); err != nil {
				t.Fatal(err)
			}
			p := newPlace(t)
			o := options()
			o.NoVendor = false
			// This program must not be needed here.
			o.Environ = []string{"PATH=" + fakeGo(t)}
			_, err := Add(t.Context(), p, Request{Source: dir, Name: "x"}, o)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			empty(t, p)
		})
	}
}
