package manifest_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// tree writes files below a new directory and returns it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()

	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return root
}

// listing renders plugins as NAME=DIR relative to root, with a ! before broken ones.
func listing(root string, plugins []manifest.Plugin) string {
	var out []string

	for _, p := range plugins {
		mark := ""
		if p.Err != nil {
			mark = "!"
		}

		rel, err := filepath.Rel(root, p.Dir)
		if err != nil {
			rel = err.Error()
		}

		out = append(out, mark+p.Name+"="+filepath.ToSlash(rel))
	}

	return strings.Join(out, " ")
}

func TestDiscover(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"none", nil, ""},
		{"directly below the root", map[string]string{"a/plugin.yaml": ""}, "a=a"},
		{"at any depth, sorted by name", map[string]string{
			"z/plugin.yaml": "", "tools/b/plugin.yaml": "", "x/y/z/a/plugin.yaml": "",
		}, "a=x/y/z/a b=tools/b z=z"},
		{"name overrides the directory", map[string]string{"a/plugin.yaml": "name: other"}, "other=a"},
		{"names tell namesakes apart", map[string]string{
			"one/a/plugin.yaml": "", "two/a/plugin.yaml": "name: b",
		}, "a=one/a b=two/a"},
		{"a plugin within a plugin is not looked for", map[string]string{
			"a/plugin.yaml": "", "a/b/plugin.yaml": "",
		}, "a=a"},
		{"hidden directories are skipped", map[string]string{
			".git/a/plugin.yaml": "", ".b/plugin.yaml": "", "c/plugin.yaml": "",
		}, "c=c"},
		{"vendor directories are skipped", map[string]string{
			"vendor/a/plugin.yaml": "", "x/vendor/b/plugin.yaml": "", "c/plugin.yaml": "",
		}, "c=c"},
		{"other files do not matter", map[string]string{"README.md": "", "a/plugin.yml": "", "b/plugin.yaml.bak": ""}, ""},
		{"a directory named like the manifest", map[string]string{"a/plugin.yaml/b/plugin.yaml": ""}, "b=a/plugin.yaml/b"},
		{"the root itself", map[string]string{"plugin.yaml": "name: whole", "a/plugin.yaml": ""}, "whole=."},
		{"a broken manifest concerns its plugin alone", map[string]string{
			"a/plugin.yaml": "nam: x", "b/plugin.yaml": "",
		}, "!a=a b=b"},
		{"a broken manifest's name does not count", map[string]string{"a/plugin.yaml": "name: x\nfoo: 1"}, "!a=a"},
		{"disabled plugins are known", map[string]string{"a/plugin.yaml": "disabled: true"}, "a=a"},
		{"an origin narrows the search to its subpath", map[string]string{
			"pack/.origin.yaml": "url: u\nsubpath: tools/b", "pack/a/plugin.yaml": "", "pack/tools/b/plugin.yaml": "",
			"pack/plugin.yaml": "", "c/plugin.yaml": "",
		}, "b=pack/tools/b c=c"},
		{"an origin with several subpaths", map[string]string{
			"pack/.origin.yaml": "url: u\nsubpaths: [x/a, y]", "pack/x/a/plugin.yaml": "", "pack/x/b/plugin.yaml": "",
			"pack/y/c/plugin.yaml": "", "pack/y/d/plugin.yaml": "",
		}, "a=pack/x/a c=pack/y/c d=pack/y/d"},
		{"an origin names its only plugin", map[string]string{
			"one/.origin.yaml": "url: u\nname: mine", "one/plugin.yaml": "name: theirs",
			"two/.origin.yaml": "name: local", "two/plugin.yaml": "name: theirs",
			"sub/.origin.yaml": "url: u\nname: deep\nsubpath: x/y", "sub/x/y/plugin.yaml": "name: theirs",
		}, "deep=sub/x/y local=two mine=one"},
		{"the name of a pack is none of its plugins'", map[string]string{
			"pack/.origin.yaml": "url: u\nname: mine", "pack/a/plugin.yaml": "", "pack/b/plugin.yaml": "",
		}, "a=pack/a b=pack/b"},
		{"a name that is a path", map[string]string{"a/.origin.yaml": "name: ../b", "a/plugin.yaml": ""}, "!a=a"},
		{"a subpath that leads out", map[string]string{
			"pack/.origin.yaml": "url: u\nsubpath: ../a", "a/plugin.yaml": "",
		}, "a=a !pack=pack"},
		{"a subpath that is not there", map[string]string{"pack/.origin.yaml": "url: u\nsubpath: x"}, "!x=pack/x"},
		{"a broken origin", map[string]string{
			"a/.origin.yaml": "url: [", "a/plugin.yaml": "", "b/plugin.yaml": "",
		}, "!a=a b=b"},
		{"a directory that can be no name", map[string]string{"a..b/plugin.yaml": "", "c..d/plugin.yaml": "name: e"}, "!a..b=a..b e=c..d"},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			root := tree(t, tt.files)

			got, err := manifest.Discover(root)
			if err != nil || listing(root, got) != tt.want {
				t.Errorf("got  %s, %v\nwant %s", listing(root, got), err, tt.want)
			}

			for _, p := range got {
				if p.Root != root || !filepath.IsAbs(p.Dir) {
					t.Errorf("%s: root %s, directory %s", p.Name, p.Root, p.Dir)
				}

				if p.Err != nil && !strings.Contains(p.Err.Error(), p.Dir) && p.Name != "pack" {
					t.Errorf("the error does not name the place: %v", p.Err)
				}
			}
		})
	}
}

func TestDiscoverRoot(t *testing.T) {
	t.Parallel()

	root := tree(t, map[string]string{"file": ""})

	if got, err := manifest.Discover(filepath.Join(root, "missing")); got != nil || err != nil {
		t.Errorf("a missing root: got %v, %v", got, err)
	}

	if got, err := manifest.Discover(filepath.Join(root, "file")); err == nil {
		t.Errorf("a file as root: got %v", got)
	}
}

func TestDiscoverDuplicates(t *testing.T) {
	t.Parallel()

	tests := []struct {
		name  string
		files map[string]string
		dirs  [2]string
	}{
		{"by directory", map[string]string{"x/a/plugin.yaml": "", "y/z/a/plugin.yaml": ""}, [2]string{"x/a", "y/z/a"}},
		{"by name", map[string]string{"a/plugin.yaml": "", "b/plugin.yaml": "name: a"}, [2]string{"a", "b"}},
		{"though disabled", map[string]string{
			"x/a/plugin.yaml": "disabled: true", "y/a/plugin.yaml": "",
		}, [2]string{"x/a", "y/a"}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			root := tree(t, tt.files)
			_, err := manifest.Discover(root)

			var duplicate *manifest.DuplicateError
			if !errors.As(err, &duplicate) || duplicate.Name != "a" {
				t.Fatalf("got %v", err)
			}

			for i, dir := range tt.dirs {
				full := filepath.Join(root, filepath.FromSlash(dir))
				if duplicate.Dirs[i] != full || !strings.Contains(err.Error(), full) {
					t.Errorf("got %v, want %s", err, full)
				}
			}

			if !strings.Contains(err.Error(), "set name:") {
				t.Errorf("no way out: %v", err)
			}
		})
	}
}

// TestDiscoverFaults checks that a fault belongs to one plugin, and that a disabled plugin has none.
func TestDiscoverFaults(t *testing.T) {
	t.Parallel()

	for content, want := range map[string]string{
		"condition: bogus":                          "!a=a b=b",
		"name: c\ncondition: bogus":                 "b=b !c=a",
		"disabled: true\ncondition: bogus":          "a=a b=b",
		"disabled: true\nname: c\ncondition: bogus": "b=b c=a",
		"disabled: true\nnonsense: 1":               "a=a b=b",
		"disabled: true\nname: ../x":                "a=a b=b",
	} {
		root := tree(t, map[string]string{"a/plugin.yaml": content, "b/plugin.yaml": ""})

		got, err := manifest.Discover(root)
		if err != nil || listing(root, got) != want {
			t.Errorf("%q: got %s, %v, want %s", content, listing(root, got), err, want)
		}
	}
}

func TestDiscoverLinks(t *testing.T) {
	t.Parallel()

	elsewhere := tree(t, map[string]string{"plugin.yaml": "description: linked", "sub/b/plugin.yaml": ""})
	pack := tree(t, map[string]string{"c/plugin.yaml": ""})
	root := tree(t, map[string]string{"d/plugin.yaml": "", "e/keep": ""})

	testneed.Link(t, elsewhere, filepath.Join(root, "linked"))
	testneed.Link(t, pack, filepath.Join(root, "pack"))
	testneed.Link(t, root, filepath.Join(root, "e", "loop"))
	testneed.Link(t, "self", filepath.Join(root, "self"))
	testneed.Link(t, "nowhere", filepath.Join(root, "dangling"))
	testneed.Link(t, elsewhere, filepath.Join(root, ".hidden"))

	if err := os.Mkdir(filepath.Join(root, "f"), 0o700); err != nil {
		t.Fatal(err)
	}

	testneed.Link(t, "nowhere", filepath.Join(root, "f", "plugin.yaml"))

	got, err := manifest.Discover(root)
	if want := "d=d !f=f linked=linked"; err != nil || listing(root, got) != want {
		t.Fatalf("got  %s, %v\nwant %s", listing(root, got), err, want)
	}

	if got[2].Manifest.Description != "linked" {
		t.Errorf("got %+v", got[2].Manifest)
	}

	if files, err := manifest.Files(got[2].Dir); err != nil || !slices.Equal(files, []string{"plugin.yaml", "sub/b/plugin.yaml"}) {
		t.Errorf("files of a linked plugin: %v, %v", files, err)
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()

	root := tree(t, map[string]string{
		"pack/.origin.yaml": "url: https://example.com/pack.git\nref: v1\ncommit: abc\n" +
			"installed_at: 2024-05-06T07:08:09Z\nadded_later: 1\n",
		"pack/a/plugin.yaml":   "",
		"pack/b/plugin.yaml":   "",
		"pack/b/.origin.yaml":  "url: https://example.com/b.git",
		"local/plugin.yaml":    "",
		"other/.git/HEAD":      "",
		"other/c/plugin.yaml":  "",
		"other/c/.hidden/file": "",
	})

	plugins, err := manifest.Discover(root)
	if err != nil {
		t.Fatal(err)
	}

	want := map[string]*manifest.Origin{
		"a": {
			URL: "https://example.com/pack.git", Ref: "v1", Commit: "abc",
			InstalledAt: time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC),
		},
		"b":     {URL: "https://example.com/b.git"},
		"c":     nil,
		"local": nil,
	}

	for _, p := range plugins {
		w := want[p.Name]
		if !reflect.DeepEqual(p.Origin, w) {
			t.Errorf("%s: got %+v, want %+v", p.Name, p.Origin, w)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()

	plugin := func(name, dir string) manifest.Plugin { return manifest.Plugin{Name: name, Dir: dir} }

	disabled := plugin("c", "project/c")
	disabled.Manifest.Disabled = true

	active, shadowed := manifest.Merge(
		[]manifest.Plugin{plugin("a", "user/a"), plugin("b", "user/b"), plugin("c", "user/c")},
		nil,
		[]manifest.Plugin{plugin("b", "middle/b")},
		[]manifest.Plugin{plugin("b", "project/b"), disabled, plugin("0", "project/0")},
	)

	var got []string
	for _, p := range active {
		got = append(got, p.Dir)
	}

	for _, s := range shadowed {
		got = append(got, s.Dir+"<"+s.By)
	}

	want := "project/0 user/a project/b project/c user/b<project/b middle/b<project/b user/c<project/c"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}
