package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

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

// TestGrantsRaced exchanges a granted directory and another one again and again, while processes confine themselves and write.
// Nothing is ever written to the other directory. As a control, a policy that was not opened lets a process write there.
func TestGrantsRaced(t *testing.T) {
	t.Parallel()
	for _, opened := range []bool{true, false} {
		t.Run("opened "+strconv.FormatBool(opened), func(t *testing.T) {
			t.Parallel()
			var base string
			c, granted := swapped(t, opened, func(dir string) error { base = dir; return nil })
			home, exchanged, stop := filepath.Join(base, "home"), make(chan int), make(chan struct{})
			// The other directory, wherever it is.
			other, err := os.OpenRoot(home)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = other.Close() }()
			go func() {
				defer close(exchanged)
				for n := 0; ; n++ {
					select {
					case <-stop:
						exchanged <- n
						return
					default:
						_ = unix.Renameat2(unix.AT_FDCWD, granted, unix.AT_FDCWD, home, unix.RENAME_EXCHANGE)
					}
				}
			}()
			hit := false
			runs := raceRuns
			if !opened {
				runs = controlRuns
			}
			for i := 0; i < runs && !hit; i++ {
				// The directory may be refused, or be elsewhere when the process writes.
				_, _ = sandbox.Run(t.Context(), c)
				_, err := other.Stat("x")
				hit = err == nil
			}
			close(stop)
			if n := <-exchanged; n == 0 {
				t.Fatal("nothing was exchanged")
			}
			if hit == opened {
				t.Errorf("written to the other directory: %t", hit)
			}
		})
	}
}

// raceRuns is how many processes try. Without the protection, processes try until one writes to the other directory, which depends on how
// the system schedules them; controlRuns is more than that takes.
const (
	raceRuns    = 150
	controlRuns = 4000
)
