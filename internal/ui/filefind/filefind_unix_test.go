//go:build unix

package filefind

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestOddFiles(t *testing.T) {
	t.Parallel()
	dir, outside := tree(t, "file", "dir/below", "bad\x1b[31m", "bad\u202e", "bad\xff", "bad\n/x", "with blank"), tree(t, "secret")
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.Symlink(outside, in("out")), os.Symlink(filepath.Join(outside, "secret"), in("away")), os.Symlink("/etc/passwd", in("passwd")),
		os.Symlink("dir", in("inside")), os.Symlink("file", in("link")), os.Symlink("nowhere", in("dangling")), os.Symlink("loop", in("loop")),
		os.Symlink("..", in("dir/up")), os.Symlink(".", in("dir/self")), syscall.Mkfifo(in("pipe"), 0o600), syscall.Mkfifo(in("dir/.gitignore"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	want := []string{"dir/", "file", "inside/", "link", "with blank", "dir/below", "dir/self/", "dir/up/"}
	if got := find(t, finder(t, dir), ""); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A root that is itself a link is the user's choice.
func TestLinkedRoot(t *testing.T) {
	t.Parallel()
	dir := tree(t, "real/.git/", "real/.gitignore=*.log\n", "real/a.log", "real/b")
	link := filepath.Join(dir, "link")
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	if got := find(t, finder(t, link), ""); !slices.Equal(got, []string{"b"}) {
		t.Errorf("got %q", got)
	}
}
