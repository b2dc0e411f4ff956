package python_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/runtime/python"
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

// listing renders extensions as NAME=DIR relative to root, with the entry in parentheses and a ! before broken ones.
func listing(t *testing.T, root string, list []manifest.Plugin) string {
	t.Helper()
	var out []string
	for _, p := range list {
		rel, err := filepath.Rel(root, p.Dir)
		if err != nil || !p.Python() {
			t.Errorf("%+v: %v", p, err)
		}
		text := p.Name + "=" + filepath.ToSlash(rel)
		if p.Entry != "" {
			text += "(" + p.Entry + ")"
		}
		if p.Err != nil {
			text = "!" + text
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

const declares = "[project.entry-points.aar_extensions]\n"

// TestDiscover has a row for each rule about where extensions are.
func TestDiscover(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"none":                      {nil, ""},
		"a file":                    {map[string]string{"a.py": ""}, "a=a.py"},
		"a package":                 {map[string]string{"a/__init__.py": "", "a/b.py": ""}, "a=a"},
		"sorted":                    {map[string]string{"b.py": "", "a/__init__.py": "", "c.py": ""}, "a=a b=b.py c=c.py"},
		"underscores and dots":      {map[string]string{"_a.py": "", ".b.py": "", "__pycache__/__init__.py": "", ".c/__init__.py": ""}, ""},
		"other files":               {map[string]string{"a.txt": "", "a.pyc": "", "lib/a.py": ""}, ""},
		"a manifest":                {map[string]string{"a/__init__.py": "", "a/plugin.yaml": "name: other"}, "other=a"},
		"a broken manifest":         {map[string]string{"a/__init__.py": "", "a/plugin.yaml": "nam: x"}, "!a=a"},
		"a name that is none":       {map[string]string{"a..b.py": ""}, "!a..b=a..b.py"},
		"declared":                  {map[string]string{"d/pyproject.toml": declares + "x = 'pkg.mod:start'\ny = 'other'\n"}, "x=d(pkg.mod:start) y=d(other:register)"},
		"a package comes first":     {map[string]string{"d/pyproject.toml": declares + "x = 'd:register'\n", "d/__init__.py": ""}, "d=d"},
		"declares nothing":          {map[string]string{"d/pyproject.toml": "[project]\nname = 'd'\n"}, ""},
		"a broken pyproject":        {map[string]string{"d/pyproject.toml": "[project\n"}, "!d=d"},
		"declares no function":      {map[string]string{"d/pyproject.toml": declares + "x = 'a b'\n"}, "!x=d(a b:register)"},
		"declares a name of a path": {map[string]string{"d/pyproject.toml": declares + "'../x' = 'a:b'\n"}, "!../x=d(a:b)"},
		"installed, with a name":    {map[string]string{"d/.origin.yaml": "url: u\nname: mine", "d/__init__.py": ""}, "mine=d"},
		"installed, with a subpath": {map[string]string{"d/.origin.yaml": "url: u\nsubpath: sub", "d/__init__.py": "", "d/sub/__init__.py": ""}, "sub=d/sub"},
		"a broken origin":           {map[string]string{"d/.origin.yaml": "url: [", "d/__init__.py": ""}, "!d=d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, row.files)
			found, err := python.Discover(root)
			if got := listing(t, root, found); err != nil || got != row.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, row.want)
			}
		})
	}
}

func TestDiscoverErrors(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"a.py": "", "a/__init__.py": "", "file": ""})
	_, err := python.Discover(root)
	if duplicate, ok := errors.AsType[*manifest.DuplicateError](err); !ok || duplicate.Name != "a" || !strings.Contains(err.Error(), "rename one of them") {
		t.Errorf("two of one name: %v", err)
	}
	if _, err := python.Discover(filepath.Join(root, "file")); err == nil {
		t.Error("a file as root is accepted")
	}
	if found, err := python.Discover(filepath.Join(root, "missing")); err != nil || found != nil {
		t.Errorf("a missing root: %v, %v", found, err)
	}
}

func TestDiscoverLinks(t *testing.T) {
	t.Parallel()
	elsewhere := tree(t, map[string]string{"x.py": "", "pkg/__init__.py": ""})
	root := tree(t, nil)
	testneed.Link(t, filepath.Join(elsewhere, "x.py"), filepath.Join(root, "one.py"))
	testneed.Link(t, filepath.Join(elsewhere, "pkg"), filepath.Join(root, "two"))
	testneed.Link(t, "nowhere.py", filepath.Join(root, "three.py"))
	found, err := python.Discover(root)
	if got := listing(t, root, found); err != nil || got != "one=one.py two=two" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestCheck has a row for each way to have, or not to have, the function that registers an extension.
func TestCheck(t *testing.T) {
	t.Parallel()
	project := func(entry string) string { return declares + "x = '" + entry + "'\n" }
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"function":               {map[string]string{"x.py": "import os\n\ndef register(api):\n    pass\n"}, ""},
		"async":                  {map[string]string{"x.py": "async def register(api): pass"}, ""},
		"variable":               {map[string]string{"x.py": "register = print"}, ""},
		"import":                 {map[string]string{"x/__init__.py": "from .main import setup as register"}, ""},
		"import in parentheses":  {map[string]string{"x/__init__.py": "from .main import (\n    other,\n    register,\n)"}, ""},
		"import of everything":   {map[string]string{"x/__init__.py": "from .main import *"}, ""},
		"import in a try":        {map[string]string{"x.py": "try:\n    from a import register\nexcept ImportError:\n    pass"}, ""},
		"none":                   {map[string]string{"x.py": "def registered(api): pass\n"}, "x.py has no function register"},
		"nested":                 {map[string]string{"x.py": "class A:\n    def register(self): pass\n"}, "has no function register"},
		"empty package":          {map[string]string{"x/__init__.py": ""}, "__init__.py has no function register"},
		"declared":               {map[string]string{"p/pyproject.toml": project("pkg:start"), "p/pkg/__init__.py": "def start(api): pass"}, ""},
		"declared below src":     {map[string]string{"p/pyproject.toml": project("pkg.mod:start"), "p/src/pkg/mod.py": "def start(api): pass"}, ""},
		"declared, no function":  {map[string]string{"p/pyproject.toml": project("pkg:start"), "p/pkg.py": "def register(api): pass"}, "pkg.py has no function start"},
		"declared, no module":    {map[string]string{"p/pyproject.toml": project("pkg:start")}, "there is no module pkg"},
		"declared, an attribute": {map[string]string{"p/pyproject.toml": project("pkg:Thing.start"), "p/pkg.py": "class Thing: pass"}, ""},
		"broken":                 {map[string]string{"p/pyproject.toml": "["}, "pyproject.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := python.Discover(tree(t, row.files))
			if err != nil || len(found) != 1 {
				t.Fatalf("found %v, %v", found, err)
			}
			err = python.Check(found[0])
			if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// TestTarget has a row for each kind of extension.
func TestTarget(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"file":         {map[string]string{"y.py": ""}, "DIR/y.py"},
		"package":      {map[string]string{"y/__init__.py": "", "y/.python/httpx.py": ""}, "DIR/y DIR/y/.python"},
		"declared":     {map[string]string{"p/pyproject.toml": declares + "x = 'a.b:c'\n"}, "a.b:c DIR/p"},
		"below src":    {map[string]string{"p/pyproject.toml": declares + "x = 'a'\n", "p/src/a.py": ""}, "a:register DIR/p DIR/p/src"},
		"dependencies": {map[string]string{"p/pyproject.toml": declares + "x = 'a'\n", "p/.python/httpx.py": ""}, "a:register DIR/p DIR/p/.python"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := tree(t, row.files)
			found, err := python.Discover(root)
			if err != nil || len(found) != 1 {
				t.Fatalf("found %v, %v", found, err)
			}
			target, paths := python.Target(found[0])
			if got := filepath.ToSlash(strings.Join(append([]string{target}, paths...), " ")); got != strings.ReplaceAll(row.want, "DIR", filepath.ToSlash(root)) {
				t.Errorf("got %s, want %s in %s", got, row.want, root)
			}
		})
	}
	installed := manifest.Plugin{Dir: t.TempDir(), Entry: "pkg:register", Runtime: manifest.RuntimePython}
	if target, paths := python.Target(installed); target != installed.Entry || paths != nil {
		t.Errorf("got %s, %q", target, paths)
	}
}
