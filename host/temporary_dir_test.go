//go:build unix

package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestTemporaryDir puts something in the place of the directory for sessions: aura uses only a directory of this user.
func TestTemporaryDir(t *testing.T) {
	t.Parallel()
	mkdir := func(path string) error { return os.Mkdir(path, 0o700) }
	tests := map[string]struct {
		put  func(path string) error
		ours bool
	}{
		"nothing":          {func(string) error { return nil }, true},
		"a directory":      {mkdir, true},
		"a file":           {func(path string) error { return os.WriteFile(path, nil, 0o600) }, false},
		"a link":           {func(path string) error { return os.Symlink(filepath.Dir(path), path) }, false},
		"somebody else's":  {foreignDir, false},
		"a link to no one": {func(path string) error { return os.Symlink("nowhere", path) }, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "somebody else's" && os.Geteuid() != 0 {
				testneed.Missing(t, testneed.Root, "only root can give a directory away")
			}
			usual := filepath.Join(t.TempDir(), "aura-1")
			if err := tt.put(usual); err != nil {
				t.Fatal(err)
			}
			got := temporaryDir(usual)
			if (got == usual) != tt.ours || !strings.HasPrefix(got, usual) {
				t.Errorf("got %s", got)
			}
			if err := privateDir(got); err != nil {
				t.Error(err)
			}
			// A later process finds the same directory.
			if again := temporaryDir(usual); again != got {
				t.Errorf("then it got %s", again)
			}
		})
	}
}

func foreignDir(path string) error {
	if err := os.Mkdir(path, 0o777); err != nil { //nolint:gosec // somebody else's
		return err
	}
	return os.Chown(path, 65534, 65534)
}
