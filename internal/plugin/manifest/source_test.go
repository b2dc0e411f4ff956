package manifest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// contains reports which parts of want are missing in the error.
func contains(t *testing.T, err error, want ...string) {
	t.Helper()

	if err == nil {
		t.Fatal("no error")
	}

	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("got  %v\nwant %s", err, w)
		}
	}
}

func TestModulePath(t *testing.T) {
	t.Parallel()

	tests := []struct{ name, give, want, err string }{
		{"plain", "module my-plugin\n\ngo 1.25\n", "my-plugin", ""},
		{"with a host", "module example.com/me/my-plugin\n", "example.com/me/my-plugin", ""},
		{"byte order mark", "\ufeffmodule my-plugin\n", "my-plugin", ""},
		{"quoted", "module \"my-plugin\"\n", "my-plugin", ""},
		{"comment and block", "// hello\nmodule (\n\tmy-plugin\n)\n", "my-plugin", ""},
		{"unknown directives are tolerated", "module a\n\nfuture x y\n", "a", ""},
		{"no module line", "go 1.25\n", "", "go.mod:1: there is no module line"},
		{"malformed", "go 1.25\nmodule a b c\n", "", "go.mod:2"},
		{"unclosed", "module a\nrequire (\n", "", "go.mod:"},
		{"leads out", "\nmodule ../../evil\n", "", "go.mod:2"},
		{"absolute", "module /etc\n", "", "go.mod:1"},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			dir := tree(t, map[string]string{"go.mod": tt.give})

			got, line, err := manifest.ModulePath(dir)
			if tt.err != "" {
				contains(t, err, filepath.Join(dir, "")+string(filepath.Separator)+tt.err)
			} else if want := 1 + strings.Count(tt.give[:strings.Index(tt.give, tt.want)], "\n"); err != nil || got != tt.want || line != want {
				t.Errorf("got %q in line %d, %v", got, line, err)
			}
		})
	}

	dir := filepath.Join(tree(t, map[string]string{"my-plugin/x": ""}), "my-plugin")
	_, _, err := manifest.ModulePath(dir)
	contains(t, err, "no go.mod", "`go mod init my-plugin` in "+dir)
}

func TestPackageName(t *testing.T) {
	t.Parallel()

	for give, want := range map[string]string{
		"my-plugin": "my_plugin", "example.com/a/loop-detection-x": "loop_detection_x", "plain": "plain", "a/v2": "v2",
	} {
		if got := manifest.PackageName(give); got != want {
			t.Errorf("%s: got %s, want %s", give, got, want)
		}
	}
}

// doubled declares n constants, each twice as long as the previous one.
func doubled(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "const a%d = a%d + a%d\n", i+1, i, i)
	}
	return b.String()
}

func TestVendoredSDK(t *testing.T) {
	t.Parallel()

	const file = "vendor/github.com/idelchi/aura/sdk/version/version.go"

	tests := []struct {
		name, path, give, want string
		ok                     bool
		err                    string
	}{
		{"constant", file, "package version\n\nconst Version = \"0.1.0\"\n", "0.1.0", true, ""},
		{"in a block", file, "package version\nconst (\n\tA = 1\n\tVersion string = `1.2.3`\n)\n", "1.2.3", true, ""},
		{"computed", file, "package version\nimport \"gone\"\nconst Version = major + (\".4.\" + patch)\nconst major, patch = \"0\", \"2\"\nvar _ = gone.X\n", "0.4.2", true, ""},
		{"repeated", file, "package version\nconst (\n\tFirst = \"0.1.0\"\n\tVersion\n)\n", "0.1.0", true, ""},
		{"no text", file, "package version\nconst Version = 3", "", false, "no constant Version"},
		{"of endless length", file, "package version\nconst a0 = \"1.0.0\"\n" + doubled(60) + "const Version = a60\n", "", false, "no constant Version"},
		{"of itself", file, "package version\nconst Version = other + \"1\"\nconst other = Version\n", "", false, "no constant Version"},
		{"nowhere defined", file, "package version\nconst Version = other", "", false, "no constant Version"},
		{"no vendor directory", "main.go", "package p", "", false, ""},
		{"other things vendored", "vendor/example.com/x/x.go", "package x", "", false, ""},
		{"no constant", file, "package version\nvar Version = \"0.1.0\"", "", false, "no constant Version"},
		{"broken", file, "package version\nconst Version = ", "", false, "version.go:2:"},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			got, ok, err := manifest.VendoredSDK(tree(t, map[string]string{tt.path: tt.give}))
			if tt.err != "" {
				contains(t, err, tt.err)
			} else if err != nil || got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %v, %v", got, ok, err)
			}
		})
	}
}

func TestCompatibleSDK(t *testing.T) {
	t.Parallel()

	tests := []struct{ plugin, host, want string }{
		{"0.1.0", "0.1.0", ""},
		{"0.1.0", "0.1.5", ""},
		{"v0.1.0", "0.1.5", ""},
		{"0.1.5", "0.1.0", "plugin requires SDK ~0.1.5, host has 0.1.0"},
		{"0.2.0", "0.1.0", "plugin requires SDK ~0.2.0, host has 0.1.0"},
		{"0.1.0", "0.2.0", "plugin requires SDK ~0.1.0, host has 0.2.0"},
		{"1.1.0", "2.1.0", "plugin requires SDK ~1.1.0, host has 2.1.0"},
		{"1.1.0", "1.1.9", ""},
		{"0.1.0", "0.2.0-rc.1", "plugin requires SDK ~0.1.0, host has 0.2.0-rc.1"},
		{"latest", "0.1.0", `reading the plugin's SDK version "latest"`},
		{"0.1.0", "", `reading the host's SDK version ""`},
	}

	for _, tt := range tests {
		err := manifest.CompatibleSDK(tt.plugin, tt.host)

		switch {
		case tt.want == "" && err != nil, tt.want != "" && err == nil:
			t.Errorf("%s on %s: got %v", tt.plugin, tt.host, err)
		case strings.HasPrefix(tt.want, "plugin") && err.Error() != tt.want:
			t.Errorf("got  %v\nwant %s", err, tt.want)
		case err != nil && !strings.HasPrefix(err.Error(), tt.want):
			t.Errorf("got  %v\nwant %s", err, tt.want)
		}
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()

	dir := tree(t, map[string]string{
		"plugin.yaml": "", "main.go": "", "sub/x.go": "", "sub.go": "", "vendor/modules.txt": "", "vendor/a/b.go": "",
		".origin.yaml": "", ".git/HEAD": "",
	})

	got, err := manifest.Files(dir)
	if want := []string{"main.go", "plugin.yaml", "sub.go", "sub/x.go"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v", got, err)
	}

	if _, err := manifest.Files(filepath.Join(dir, "gone")); err == nil {
		t.Error("a missing directory has files")
	}
}

func TestTreeHash(t *testing.T) {
	t.Parallel()

	hash := func(t *testing.T, dir string) string {
		t.Helper()

		sum, err := manifest.TreeHash(dir)
		if err != nil {
			t.Fatal(err)
		}

		return sum
	}

	base := map[string]string{"main.go": "package p", "vendor/a/b.go": "package b", "sub/x": "1"}
	want := hash(t, tree(t, base))

	// The hash is fixed, so that its coverage cannot change unnoticed or differ between machines.
	const fixed = "9098268b81bef769dfd51ab285fdd6fbfd74b40288be2bd8850aebb5ceb2996e"
	if want != fixed {
		t.Errorf("got %s, want %s", want, fixed)
	}

	tests := []struct {
		name   string
		same   bool
		change func(t *testing.T, dir string) error
	}{
		{"nothing", true, func(*testing.T, string) error { return nil }},
		{"hidden file", true, func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, ".origin.yaml"), []byte("x"), 0o600)
		}},
		{"permission", true, func(_ *testing.T, dir string) error { return os.Chmod(filepath.Join(dir, "main.go"), 0o700) }},
		{"empty directory", true, func(_ *testing.T, dir string) error { return os.Mkdir(filepath.Join(dir, "empty"), 0o700) }},
		{"content", false, func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "main.go"), []byte("package q"), 0o600)
		}},
		{"vendored content", false, func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "vendor", "a", "b.go"), []byte("package c"), 0o600)
		}},
		{"new file", false, func(_ *testing.T, dir string) error {
			return os.WriteFile(filepath.Join(dir, "new"), nil, 0o600)
		}},
		{"renamed file", false, func(_ *testing.T, dir string) error {
			return os.Rename(filepath.Join(dir, "main.go"), filepath.Join(dir, "other.go"))
		}},
		{"moved file", false, func(_ *testing.T, dir string) error {
			return os.Rename(filepath.Join(dir, "sub", "x"), filepath.Join(dir, "x"))
		}},
		{"new link", false, func(t *testing.T, dir string) error {
			t.Helper()
			testneed.Link(t, "main.go", filepath.Join(dir, "link"))

			return nil
		}},
	}

	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()

			dir := tree(t, base)
			if err := tt.change(t, dir); err != nil {
				t.Fatal(err)
			}

			if got := hash(t, dir); (got == want) != tt.same {
				t.Errorf("got %s", got)
			}
		})
	}

	if _, err := manifest.TreeHash(filepath.Join(t.TempDir(), "gone")); err == nil {
		t.Error("a missing directory has a hash")
	}
}

func TestTreeHashFollowsLinkedContent(t *testing.T) {
	t.Parallel()

	outside := filepath.Join(tree(t, map[string]string{"x.go": "package p"}), "x.go")
	dir := tree(t, map[string]string{"main.go": "package p"})
	testneed.Link(t, outside, filepath.Join(dir, "x.go"))
	testneed.Link(t, "nowhere", filepath.Join(dir, "dangling"))

	before, err := manifest.TreeHash(dir)
	if err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(outside, []byte("package q"), 0o600); err != nil {
		t.Fatal(err)
	}

	if after, err := manifest.TreeHash(dir); err != nil || after == before {
		t.Errorf("got %s, %v", after, err)
	}
}

func BenchmarkTreeHash(b *testing.B) {
	dir := b.TempDir()

	for i := range 200 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), make([]byte, 8<<10), 0o600); err != nil {
			b.Fatal(err)
		}
	}

	for b.Loop() {
		if _, err := manifest.TreeHash(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// TestExtension checks the defaults of an extension and its manifest.
func TestExtension(t *testing.T) {
	t.Parallel()

	root := tree(t, map[string]string{
		"a.py": "", "b/__init__.py": "", "b/plugin.yaml": "name: c\nenv: [TOKEN]\n", "d/plugin.yaml": "limits: {memory: 2GiB}\non_failure: closed\n",
	})

	tests := []struct {
		dir, name string
		memory    int64
		asks      string
	}{
		{"a.py", "a", 1 << 30, "every host on the network, starting programs"},
		{"b", "c", 1 << 30, "variables TOKEN, every host on the network, starting programs"},
		{"d", "d", 2 << 30, "every host on the network, starting programs, memory 2048 MiB"},
	}

	for _, tt := range tests {
		p := manifest.NewExtension(root, filepath.Join(root, tt.dir), nil)
		if p.Err != nil || !p.Python() || p.Name != tt.name || p.Manifest.Limits.Memory != tt.memory {
			t.Errorf("%s: got %+v", tt.dir, p)
		}

		if got := strings.Join(manifest.Ask(p).List(), ", "); got != tt.asks {
			t.Errorf("%s asks for %s, want %s", tt.dir, got, tt.asks)
		}
	}

	one, err1 := manifest.TreeHash(filepath.Join(root, "a.py"))
	if err := os.WriteFile(filepath.Join(root, "a.py"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}

	other, err2 := manifest.TreeHash(filepath.Join(root, "a.py"))
	if err1 != nil || err2 != nil || one == other {
		t.Errorf("got %s and %s, %v, %v", one, other, err1, err2)
	}
}
