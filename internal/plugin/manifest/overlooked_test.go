package manifest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// TestOverlooked has a row for each thing that looks like a plugin and is not loaded. want is a part of the sentence about it.
func TestOverlooked(t *testing.T) {
	t.Parallel()

	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"plugin.yml":            {map[string]string{"a/plugin.yml": ""}, "a is not loaded: the name of its manifest must be plugin.yaml, not plugin.yml"},
		"Plugin.yaml":           {map[string]string{"p/a/Plugin.yaml": ""}, "must be plugin.yaml, not Plugin.yaml"},
		"source alone":          {map[string]string{"a/go.mod": "", "a/main.go": ""}, "a is not loaded: it has Go source, but no plugin.yaml"},
		"a plugin":              {map[string]string{"a/plugin.yaml": "", "a/go.mod": "", "a/main.go": "", "a/sub/plugin.yml": ""}, ""},
		"a module without code": {map[string]string{"a/go.mod": "", "a/README": ""}, ""},
		"vendored and hidden":   {map[string]string{"vendor/a/plugin.yml": "", ".a/plugin.yml": ""}, ""},
	} {
		root := tree(t, row.files)
		if got := strings.Join(manifest.Overlooked(root), "\n"); !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}

	for name, row := range map[string]struct {
		to   string
		want string
	}{
		"a plugin":              {tree(t, map[string]string{"plugin.yaml": ""}), ""},
		"a file":                {filepath.Join(tree(t, map[string]string{"README": ""}), "README"), ""},
		"a folder with plugins": {tree(t, map[string]string{"x/plugin.yaml": ""}), "link is a link to a folder that has no plugin.yaml, and linked folders are not searched"},
		"plugins far below":     {tree(t, map[string]string{"x/y/z/plugin.yaml": ""}), "linked folders are not searched"},
		"a folder without any":  {tree(t, map[string]string{"notes/a.txt": ""}), "linked folders are not searched"},
		"another manifest":      {tree(t, map[string]string{"plugin.yml": ""}), "link is not loaded: the name of its manifest must be plugin.yaml"},
		"source alone":          {tree(t, map[string]string{"go.mod": "", "main.go": ""}), "link is not loaded: it has Go source, but no plugin.yaml"},
		"nothing":               {filepath.Join(t.TempDir(), "gone"), "link is a link that cannot be followed, so nothing is loaded from it"},
		"itself":                {"link", "link is a link that cannot be followed"},
	} {
		root := tree(t, map[string]string{"p/notes.txt": ""})
		testneed.Link(t, row.to, filepath.Join(root, "p", "link"))

		got := manifest.Overlooked(root)
		if row.want == "" && len(got) > 0 || row.want != "" && (len(got) != 1 || !strings.Contains(got[0], row.want)) {
			t.Errorf("a link to %s: got %q, want %q", name, got, row.want)
		}
	}
}
