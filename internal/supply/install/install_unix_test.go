//go:build unix

package install

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
)

func TestDeviceFiles(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "src")
	write(t, dir, sound())
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	_, err := Add(t.Context(), p, Request{Source: dir}, options())
	if err == nil || !strings.Contains(err.Error(), `"pipe" is neither a file nor a directory`) {
		t.Errorf("got %v", err)
	}
	empty(t, p)
}

// TestDeviceModes checks that a mode unknown to git, such as that of a device, never creates a device.
func TestDeviceModes(t *testing.T) {
	t.Parallel()

	for _, mode := range []os.FileMode{0o60000, 0o20000, 0o10000} {
		p := newPlace(t)
		url := repository(t, flat(sound(), entry{"dev", filemode.FileMode(mode), "x"}))
		added, err := Add(t.Context(), p, Request{Source: url, Name: "x"}, options())
		if err != nil {
			empty(t, p)
			continue
		}
		if info, err := os.Lstat(filepath.Join(added.Dir, "dev")); err == nil && !info.Mode().IsRegular() {
			t.Errorf("mode %o became %s", mode, info.Mode())
		}
	}
}
