//go:build unix

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idelchi/aura/internal/settings/config"
)

// TestOddFiles replaces each file that is read with another kind of file. Reading must not hang, and the error must name the
// file.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	things := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"sparse": func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 10<<30)) },
		"loop":   func(path string) error { return os.Symlink(filepath.Base(path), path) },
	}
	for _, file := range []string{
		project + "hooks/h.yaml", project + "providers/p.yaml", project + "agents/a.md", project + "features/f.yaml", project + "sandbox/s.yaml",
		user + "tasks/t.yaml", "work/.aura/skills/s.md", "work/secrets.env",
	} {
		for name, place := range things {
			t.Run(name+" for "+filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				o := files{}.options(t)
				path := filepath.Join(filepath.Dir(o.Workdir), file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), place(path)); err != nil {
					t.Fatal(err)
				}
				_, err := config.Load(o)
				checkError(t, err, filepath.Base(file))
			})
		}
	}
}
