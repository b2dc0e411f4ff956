//go:build unix

package trust_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/system/trust"
)

// Paths that are not regular files neither block nor are read, and an endless tree is refused.
func TestHashOddFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home := filepath.Join(dir, ".aura")
	write(t, filepath.Join(home, "config/a.yaml"), "a")
	err := errors.Join(
		syscall.Mkfifo(filepath.Join(home, "config/pipe.yaml"), 0o600), os.Symlink("/dev/zero", filepath.Join(home, "config/zero.yaml")),
		os.Symlink("nowhere", filepath.Join(home, "config/dangling.yaml")),
	)
	if err != nil {
		t.Fatal(err)
	}
	got, err := trust.Hash(dir, home, nil)
	if err != nil || got[".aura/config/pipe.yaml"] != "not a regular file" || got[".aura/config/zero.yaml"] != "not a regular file" || got[".aura/config/dangling.yaml"] != "absent" {
		t.Errorf("got %v, %v", got, err)
	}
	write(t, filepath.Join(home, "config/large"), "")
	if err := os.Truncate(filepath.Join(home, "config/large"), 10<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.Hash(dir, home, nil); err == nil || !strings.Contains(err.Error(), "bytes: consent can only be for the directory") {
		t.Errorf("a large file: %v", err)
	}
	if err := errors.Join(os.Remove(filepath.Join(home, "config/large")), os.Symlink("..", filepath.Join(home, "config/circle"))); err != nil {
		t.Fatal(err)
	}
	if _, err := trust.Hash(dir, home, nil); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle: %v", err)
	}
}
