//go:build unix

package readguard_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/agent/readguard"
)

// TestPipe checks that no operation waits for the other end of a pipe.
func TestPipe(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "p")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	files := readguard.New(dir)
	if err := files.Guard("p"); err != nil {
		t.Error(err)
	}
	if err := files.Record("p"); err == nil {
		t.Error("a pipe was recorded")
	}
	if _, _, err := readguard.Open(path); err == nil {
		t.Error("a pipe was opened")
	}
}
