package python

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverlooked has a row for each entry of a directory of extensions, and of one of plugins.
func TestOverlooked(t *testing.T) {
	t.Parallel()
	const extension = "def register(api):\n    pass\n"
	for name, tt := range map[string]struct {
		files            map[string]string
		link             string
		extensions, plug string
	}{
		"file":            {files: map[string]string{"x.py": extension}, plug: "/x.py is not loaded: Python extensions belong into the directory extensions of a home"},
		"package":         {files: map[string]string{"x/__init__.py": extension}, plug: "/x is not loaded: Python extensions belong into the directory extensions of a home"},
		"capitals":        {files: map[string]string{"x.PY": extension}, extensions: "/x.PY is not loaded: the name of an extension must end in .py", plug: "/x.PY is not loaded: Python extensions belong into the directory extensions of a home"},
		"no __init__.py":  {files: map[string]string{"x/main.py": extension}, extensions: "/x is not loaded: it has a function register, but no __init__.py"},
		"helpers":         {files: map[string]string{"x/main.py": "def help(): pass\n", "y.txt": extension, "z.PY": "x = 1\n"}},
		"hidden":          {files: map[string]string{"_x/main.py": extension, ".y/main.py": extension, "_z.py": extension}},
		"declared":        {files: map[string]string{"x/pyproject.toml": "[project.entry-points.aar_extensions]\nx = \"m:register\"\n", "x/m.py": extension}},
		"plugin in Go":    {files: map[string]string{"x/plugin.yaml": "", "x/main.go": "package x\n"}, extensions: "/x is not loaded: plugins in Go belong into the directory plugins of a home"},
		"link to nowhere": {link: "nowhere.py", extensions: "/l.py is a link that cannot be followed, so nothing is loaded from it: no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for path, text := range tt.files {
				path = filepath.Join(root, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if tt.link != "" {
				if err := os.Symlink(tt.link, filepath.Join(root, "l.py")); err != nil {
					t.Fatal(err)
				}
			}
			for want, got := range map[string][]string{"extensions: " + tt.extensions: Overlooked(root), "plugins: " + tt.plug: Misplaced(root)} {
				kind, want, _ := strings.Cut(want, ": ")
				if text := strings.ReplaceAll(strings.Join(got, "\n"), root, ""); text != want {
					t.Errorf("%s: got %q, want %q", kind, text, want)
				}
			}
		})
	}
}
