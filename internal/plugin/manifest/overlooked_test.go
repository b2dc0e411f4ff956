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

	root := tree(t, map[string]string{"d/plugin.yaml": ""})
	testneed.Link(t, tree(t, map[string]string{"x/plugin.yaml": ""}), filepath.Join(root, "folder"))
	testneed.Link(t, tree(t, map[string]string{"plugin.yaml": ""}), filepath.Join(root, "plugin"))
	testneed.Link(t, tree(t, map[string]string{"notes/a.txt": ""}), filepath.Join(root, "notes"))
	testneed.Link(t, root, filepath.Join(root, "d", "loop"))

	if got := manifest.Overlooked(root); len(got) != 1 || !strings.Contains(got[0], "folder is a link to a folder with plugins, which is not searched") {
		t.Errorf("links: got %q", got)
	}
}
