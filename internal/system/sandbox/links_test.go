package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// linksIn creates a directory with a home in work/.aura, folders and links.
func linksIn(t *testing.T, folders []string, links map[string]string) (base string, at sandbox.Place) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(folders, "work/.aura") {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range links {
		path := filepath.Join(base, link)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(target, path)); err != nil {
			testneed.Missing(t, testneed.Links, err)
		}
	}
	return base, sandbox.Place{Workdir: filepath.Join(base, "work")}
}

// TestFindLinks checks which links of homes and plugins are found. Paths are relative to the parent of the working directory.
func TestFindLinks(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		folders []string
		links   map[string]string
		want    []string
	}{
		"none":         {[]string{"work/.aura/config"}, nil, nil},
		"folder":       {[]string{"work/a"}, map[string]string{"work/.aura/config/hooks": "../../a"}, []string{"work/.aura/config/hooks"}},
		"deep":         {[]string{"work/a"}, map[string]string{"work/.aura/plugins/x/y/z/p/main.go": "/nowhere"}, []string{"work/.aura/plugins/x/y/z/p/main.go"}},
		"leads inside": {[]string{"work/.aura/b"}, map[string]string{"work/.aura/a": "b"}, nil},
		"leads nowhere": {
			nil, map[string]string{"work/.aura/config/hooks/h.yaml": "../../../missing"}, []string{"work/.aura/config/hooks/h.yaml"},
		},
		"in a linked folder": {
			[]string{"work/a/b"}, map[string]string{"work/.aura/c": "../a", "work/a/b/x": "../../far"}, []string{"work/.aura/c", "work/a/b/x"},
		},
		"twice the same": {[]string{"work/a"}, map[string]string{"work/.aura/c": "../a", "work/.aura/d": "../a"}, []string{"work/.aura/c"}},
		"in a circle":    {[]string{"work/a"}, map[string]string{"work/.aura/c": "../a", "work/a/b": "../.aura", "work/a/c": "."}, []string{"work/.aura/c"}},
		// What contains the working directory is not searched.
		"leads to the project": {[]string{"work/src"}, map[string]string{"work/.aura/c": "..", "work/src/x": "/nowhere"}, []string{"work/.aura/c"}},
		"of the user":          {[]string{"work/a"}, map[string]string{"home/.aura/config": "../../work/a"}, []string{"home/.aura/config"}},
		"of plugins":           {[]string{"work/a"}, map[string]string{"parts/group/p": "../../work/a"}, []string{"parts/group/p"}},
		"of another project":   {[]string{"work/a"}, map[string]string{"other/.aura/c": "../../work/a"}, []string{"other/.aura/c"}},
		"another home":         {[]string{"work/a"}, map[string]string{"other/.aura": "../work/a"}, []string{"other/.aura"}},
		"not read by aura":     {[]string{"work/a"}, map[string]string{"work/src/c": "../a"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, at := linksIn(t, tt.folders, tt.links)
			at.Settings, at.Sources = []string{filepath.Join(base, "home/.aura")}, []string{filepath.Join(base, "parts")}
			at.Trusted = []string{filepath.Join(base, "work/.aura"), filepath.Join(base, "other/.aura")}
			found := at.FindLinks()
			var got []string
			for _, path := range found.Paths {
				rel, err := filepath.Rel(base, path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if slices.Sort(got); !slices.Equal(got, tt.want) || len(found.Uncovered) > 0 {
				t.Errorf("got %q and %q, want %q", got, found.Uncovered, tt.want)
			}
		})
	}
}

// TestManyLinks checks that the search ends at a limit, and that the policy reports it.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	links := map[string]string{}
	for i := range 300 {
		links[fmt.Sprintf("work/.aura/%03d", i)] = fmt.Sprintf("../a%03d", i)
	}
	base, at := linksIn(t, nil, links)
	p := sandbox.Default(at, sandbox.KindShell)
	if len(p.Uncovered) != 1 || !strings.Contains(p.Uncovered[0], filepath.Join(base, "work/.aura")+" contains too many files or links") {
		t.Errorf("uncovered: %q", p.Uncovered)
	}
	if !slices.Contains(p.Protected, filepath.Join(base, "work/.aura/255")) || slices.Contains(p.Protected, filepath.Join(base, "work/.aura/256")) {
		t.Errorf("%d paths are protected", len(p.Protected))
	}
}
