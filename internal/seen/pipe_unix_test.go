//go:build unix

package seen_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/seen"
)

// TestPipe checks that nothing waits for the other end of a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	files := seen.New(dir)
	if err := files.Guard("p"); err != nil {
		t.Error(err)
	}
	if err := files.Record("p"); err == nil {
		t.Error("a pipe was recorded")
	}
	if _, _, err := seen.Open(path); err == nil {
		t.Error("a pipe was opened")
	}
}
