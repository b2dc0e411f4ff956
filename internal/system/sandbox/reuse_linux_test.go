package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestGrantsInodes removes a granted directory and creates another one. It never gets the inode number of the first one while
// aura holds that open, so that it cannot pass for it. As a control, it gets the number if nobody holds it.
func TestGrantsInodes(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 100
	free := 0
	for range rounds {
		if reused(t, base, true) {
			t.Fatal("a new directory got the inode number of the directory that aura holds")
		}
		if reused(t, base, false) {
			free++
		}
	}
	if free == 0 {
		testneed.Missing(t, testneed.InodeReuse, "the file system used no inode number again")
	}
}

// reused grants a directory, replaces it, and reports whether the new directory has the identity of the old one. hold says
// whether aura still holds the old one.
func reused(t *testing.T, base string, hold bool) bool {
	t.Helper()
	granted := filepath.Join(base, "granted")
	if err := os.Mkdir(granted, 0o700); err != nil {
		t.Fatal(err)
	}
	var g sandbox.Grants
	defer g.Close()
	f := fileOf(g.Open(sandbox.Policy{ReadWrite: []string{granted}}), granted)
	if f == nil {
		t.Fatal("the directory is not held")
	}
	old, err1 := f.Stat()
	if !hold {
		g.Close()
	}
	err2 := errors.Join(os.Remove(granted), os.Mkdir(granted, 0o700))
	made, err3 := os.Stat(granted)
	if err := errors.Join(err1, err2, err3, os.Remove(granted)); err != nil {
		t.Fatal(err)
	}
	return os.SameFile(old, made)
}
