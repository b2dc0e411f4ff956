//go:build unix

package files_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/base/files"
)

// TestOpenRoot opens everything as a directory. Nothing is waited for, in particular not the other end of a named pipe.
func TestOpenRoot(t *testing.T) {
	t.Parallel()
	dir := scene(t)
	root, err := files.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for name, want := range map[string]error{
		"dir": nil, "file": syscall.ENOTDIR, "pipe": syscall.ENOTDIR, "zero": syscall.ENOTDIR, "link": syscall.ENOTDIR,
		"loop": syscall.ELOOP, "none": os.ErrNotExist,
	} {
		opened, err := files.OpenRoot(filepath.Join(dir, name))
		if !errors.Is(err, want) {
			t.Errorf("OpenRoot of %s: %v, want %v", name, err, want)
		}
		if opened != nil {
			_ = opened.Close()
		}
		// A link that leaves the root has an error of its own.
		opened, err = files.OpenRootIn(root, name)
		if (err == nil) != (want == nil) {
			t.Errorf("OpenRootIn of %s: %v, want %v", name, err, want)
		}
		if opened != nil {
			_ = opened.Close()
		}
		if _, err = files.ReadDir(filepath.Join(dir, name), 10); (err == nil) != (want == nil) {
			t.Errorf("ReadDir of %s: %v, want %v", name, err, want)
		}
	}
}
