package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestCopyToMemory overwrites the file of a program that was opened. If the program was copied, the original program must run.
// As a control, without a copy the new content runs.
func TestCopyToMemory(t *testing.T) {
	t.Parallel()
	yes, err1 := os.ReadFile("/bin/true")
	no, err2 := os.ReadFile("/bin/false")
	if err1 != nil || err2 != nil {
		testneed.Missing(t, "sh", errors.Join(err1, err2))
	}
	for _, copied := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "program")
		if err := os.WriteFile(path, yes, 0o755); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if copied {
			if err := copyToMemory(f); err != nil {
				testneed.Missing(t, testneed.MemoryFiles, err)
			}
		}
		// WriteFile writes to the same file, as a shell does with >.
		if err := os.WriteFile(path, no, 0o755); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		if err := exec.Command(descriptorPath(int(f.Fd()))).Run(); (err == nil) != copied {
			t.Errorf("copied %t: %v", copied, err)
		}
		if _, err := f.WriteString("x"); err == nil {
			t.Error("the copy can be written")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestProgram checks that only regular files and links to them are opened. Opening a FIFO would make aura wait for a writer.
func TestProgram(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		put  func(path string) error
		want bool
	}{
		"file":      {func(path string) error { return os.WriteFile(path, nil, 0o600) }, true},
		"link":      {func(path string) error { return os.Symlink("/bin/sh", path) }, true},
		"FIFO":      {func(path string) error { return unix.Mkfifo(path, 0o600) }, false},
		"directory": {func(path string) error { return os.Mkdir(path, 0o700) }, false},
		"nothing":   {func(string) error { return nil }, false},
	} {
		path := filepath.Join(t.TempDir(), "program")
		if err := tt.put(path); err != nil {
			t.Fatal(err)
		}
		if _, err := Program(path); (err == nil) != tt.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
