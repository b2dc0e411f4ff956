//go:build unix

package python_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/runtime/python"
)

// TestMayDeclare checks when aura knows without starting Python that no package declares an extension.
func TestMayDeclare(t *testing.T) {
	t.Parallel()
	const declared = "[console_scripts]\nx = y:z\n\n[aar_extensions]\nmine = mine:register\n"
	for name, tt := range map[string]struct {
		files map[string]string
		link  string
		want  bool
	}{
		"no python":            {map[string]string{"lib/python3.11/site-packages/a-1.dist-info/entry_points.txt": declared}, "", false},
		"no packages":          {map[string]string{"bin/python3": "\x7fELF", "lib/python3.11/site-packages/a.py": ""}, "", false},
		"another group":        {map[string]string{"bin/python3": "\x7fELF", "lib/python3.11/site-packages/a-1.dist-info/entry_points.txt": "[other]\n"}, "", false},
		"an extension":         {map[string]string{"bin/python3": "\x7fELF", "lib/python3.11/site-packages/a-1.dist-info/entry_points.txt": declared}, "", true},
		"for development":      {map[string]string{"bin/python3": "\x7fELF", "lib/python3.11/site-packages/a.egg-info/entry_points.txt": declared}, "", true},
		"of a distribution":    {map[string]string{"bin/python3": "\x7fELF", "lib/python3/dist-packages/a-1.dist-info/entry_points.txt": declared}, "", true},
		"beside the system's":  {map[string]string{"bin/python3": "\x7fELF", "local/lib/python3.11/dist-packages/a-1.dist-info/entry_points.txt": declared}, "", true},
		"another installation": {map[string]string{"bin/python3": "\x7fELF", "bin/pip": ""}, "", true},
		"a script":             {map[string]string{"bin/python3": "#!/bin/sh\n", "lib/python3.11/site-packages/a.py": ""}, "", true},
		"an environment":       {map[string]string{"real/bin/python3.11": "\x7fELF", "real/lib/python3.11/site-packages/a.py": "", "lib/python3.11/site-packages/a-1.dist-info/entry_points.txt": declared}, "real/bin/python3.11", true},
		"behind it":            {map[string]string{"real/bin/python3.11": "\x7fELF", "real/lib/python3.11/site-packages/a-1.dist-info/entry_points.txt": declared}, "real/bin/python3.11", true},
		"nothing behind it":    {map[string]string{"real/bin/python3.11": "\x7fELF", "real/lib/python3.11/site-packages/a.py": ""}, "real/bin/python3.11", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range tt.files {
				path := filepath.Join(dir, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if tt.link != "" {
				if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(filepath.Join(dir, tt.link), filepath.Join(dir, "bin/python3")); err != nil {
					t.Fatal(err)
				}
			}
			e := python.Environment{Environ: []string{"PATH=" + filepath.Join(dir, "bin")}}
			if got := e.MayDeclare(); got != tt.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
