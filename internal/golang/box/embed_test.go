package box

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// TestEmbed checks the files with the standard library's own test of file systems.
func TestEmbed(t *testing.T) {
	t.Parallel()
	files := []string{"b.txt", "second", "a.txt", "first\x00\xff", "dir/+x", "", "dir/sub/deep.txt", "deep", "dir-2/y", "y", "+", "plus"}
	all := Embed(files...)
	var names []string
	for i := 0; i < len(files); i += 2 {
		names = append(names, files[i])
		if text, err := all.ReadFile(files[i]); err != nil || string(text) != files[i+1] {
			t.Errorf("%s: %q, %v", files[i], text, err)
		}
	}
	if err := fstest.TestFS(all, names...); err != nil {
		t.Error(err)
	}
	var walked []string
	if err := fs.WalkDir(all, ".", func(path string, _ fs.DirEntry, err error) error {
		walked = append(walked, path)
		return err
	}); err != nil || strings.Join(walked, " ") != ". + a.txt b.txt dir dir/+x dir/sub dir/sub/deep.txt dir-2 dir-2/y" {
		t.Errorf("%q, %v", walked, err)
	}
	if entries, err := Embed().ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("without files: %v, %v", entries, err)
	}
}
