//go:build unix

package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOdd checks that a file that is not a journal neither blocks aura nor fills its memory, whether it is loaded or reopened.
func TestOdd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		put  func(path string) error
		want string
	}{
		"named pipe": {func(p string) error { return syscall.Mkfifo(p, 0o600) }, "not a regular file"},
		"device":     {func(p string) error { return os.Symlink("/dev/zero", p) }, "a symbolic link"},
		"directory":  {func(p string) error { return os.Mkdir(p, 0o700) }, "director"},
		"link":       {func(p string) error { return os.Symlink("good", p) }, "a symbolic link"},
		"link loop":  {func(p string) error { return os.Symlink(filepath.Base(p), p) }, "a symbolic link"},
		"huge":       {func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 10<<30)) }, "a record of more than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "x"+Ext)
			if err := errors.Join(os.WriteFile(filepath.Join(dir, "good"), []byte(first), 0o600), tt.put(path)); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			_, _, again := Reopen(path)
			for _, err := range []error{err, again} {
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("error is %v, want one about %q that names the file", err, tt.want)
				}
			}
		})
	}
}
