package install

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/idelchi/aura/internal/base/strictyaml"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

const source1 = "package greet\n"

// sound holds the files of a valid plugin.
func sound() map[string]string {
	return map[string]string{"plugin.yaml": "description: d\n", "go.mod": "module greet\n\ngo 1.25\n", "main.go": source1}
}

// with returns a valid plugin with additional files.
func with(more map[string]string) map[string]string {
	files := sound()
	maps.Copy(files, more)
	return files
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func newPlace(t *testing.T) Place {
	t.Helper()
	home := filepath.Join(t.TempDir(), ".aura")
	return Place{Home: home, Root: filepath.Join(home, "plugins")}
}

// empty checks that nothing is left in a place.
func empty(t *testing.T, p Place) {
	t.Helper()
	if entries, err := os.ReadDir(p.Home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func options() Options {
	return Options{NoVendor: true, BuiltinTools: []string{"Bash", "Read"}, Now: func() time.Time { return time.Unix(0, 0).UTC() }}
}

// entry is an entry of a tree object, which need not be one that git would write.
type entry struct {
	name    string
	mode    filemode.FileMode
	content string
}

// repository writes a repository whose only commit has exactly these entries, in one flat tree unless they say otherwise.
func repository(t *testing.T, entries []entry) string {
	t.Helper()
	dir := t.TempDir()
	st := filesystem.NewStorage(osfs.New(dir), cache.NewObjectLRUDefault())
	if _, err := git.Init(st, nil); err != nil {
		t.Fatal(err)
	}
	store := func(kind plumbing.ObjectType, text []byte) plumbing.Hash {
		o := st.NewEncodedObject()
		o.SetType(kind)
		w, err := o.Writer()
		if err != nil {
			t.Fatal(err)
		}
		if _, err = w.Write(text); err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		h, err := st.SetEncodedObject(o)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	var tree []byte
	for _, e := range entries {
		h := store(plumbing.BlobObject, []byte(e.content))
		if e.mode == filemode.Dir {
			h = store(plumbing.TreeObject, []byte(e.content))
		}
		mode := strings.TrimLeft(e.mode.String(), "0")
		tree = append(append(tree, mode+" "+e.name+"\x00"...), h[:]...)
	}
	c := &object.Commit{TreeHash: store(plumbing.TreeObject, tree), Message: "one"}
	o := st.NewEncodedObject()
	if err := c.Encode(o); err != nil {
		t.Fatal(err)
	}
	h, err := st.SetEncodedObject(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := st.SetReference(plumbing.NewHashReference("refs/heads/master", h)); err != nil {
		t.Fatal(err)
	}
	return "file://" + filepath.ToSlash(dir)
}

// flat returns entries for files without directories.
func flat(files map[string]string, more ...entry) []entry {
	var out []entry
	for _, name := range slices.Sorted(maps.Keys(files)) {
		out = append(out, entry{name, filemode.Regular, files[name]})
	}
	return append(out, more...)
}

func TestHostileRepositories(t *testing.T) {
	t.Parallel()

	link := func(name, target string) entry { return entry{name, filemode.Symlink, target} }
	file := func(name string) entry { return entry{name, filemode.Regular, "x"} }

	tests := []struct {
		name    string
		entries []entry
		want    string
	}{
		{"link out of the tree", flat(sound(), link("z", "../../../nothing/there")), `symbolic link "z" leads out of the source`},
		{"absolute link", flat(sound(), link("z", "/etc/passwd")), `symbolic link "z" leads out of the source`},
		{"link through a link", flat(sound(), link("y", "."), link("z", "y/../../x")), "symbolic link"},
		{"link to nowhere", flat(sound(), link("z", "nothing")), `symbolic link "z" is broken`},
		{"link to itself", flat(sound(), link("z", "z")), `symbolic link "z" is broken`},
		{"link to a directory", flat(sound(), link("z", ".")), "does not lead to a file"},
		{"link for a manifest", flat(map[string]string{"go.mod": "module x"}, link("plugin.yaml", "/etc/passwd")), "symbolic link"},
		{"up", flat(sound(), file("..")), ""},
		{"slash in a name", flat(sound(), file("../../x")), ""},
		{"absolute name", flat(sound(), file("/x")), ""},
		{"git's directory", flat(sound(), file(".git")), ""},
		{"control characters", flat(sound(), file("a\x1b[31mb")), "control characters"},
		{"backslash", flat(sound(), file(`a\b`)), "backslash"},
		{"case", flat(sound(), file("MAIN.go")), "systems that ignore case"},
		{"case of letters with two lower cases", flat(sound(), file("s"), file("\u017f")), "systems that ignore case"},
		{"twice the same", flat(sound(), file("main.go")), ""},
		{"huge manifest", flat(map[string]string{"go.mod": "module x", "plugin.yaml": "description: " + strings.Repeat("x", strictyaml.MaxSize)}), "which is the limit"},
		{"bomb", flat(map[string]string{"go.mod": "module x", "plugin.yaml": bomb()}), "expand to more than"},
		{"duplicate key", flat(map[string]string{"go.mod": "module x", "plugin.yaml": "env: [A]\nenv: [B]\n"}), `duplicate key "env"`},
		{"name that is a path", flat(map[string]string{"plugin.yaml": "name: ../../x\n"}), "a name is not a path"},
		{"name with a control character", flat(map[string]string{"plugin.yaml": `name: "a\eb"`}), "cannot be printed"},
		{"condition", flat(map[string]string{"plugin.yaml": "condition: nonsense\n"}), "condition"},
		{"tool of a built-in's name", flat(with(map[string]string{
			"main.go": "package greet\nimport \"github.com/idelchi/aura/sdk\"\nfunc Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: \"Read\"} }\n",
		})), "its tool is named Read like a built-in one"},
		{"the same by a constant", flat(with(map[string]string{
			"main.go": "package greet\nimport \"github.com/idelchi/aura/sdk\"\nconst n = \"Bash\"\nfunc Schema() sdk.ToolSchema { return sdk.ToolSchema{Name: n} }\n",
		})), "its tool is named Bash like a built-in one"},
		{"the same by an assignment", flat(with(map[string]string{
			"main.go": "package greet\nimport \"github.com/idelchi/aura/sdk\"\nfunc Schema() sdk.ToolSchema { var s sdk.ToolSchema; s.Name = \"Ba\" + (\"sh\"); return s }\n",
		})), "its tool is named Bash like a built-in one"},
		{"no plugin", flat(map[string]string{"README": ""}), "there is no plugin.yaml in it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			added, err := Add(t.Context(), p, Request{Source: repository(t, tt.entries), Name: "x"}, options())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v", added, err)
			}
			empty(t, p)
		})
	}
}

func bomb() string {
	var b strings.Builder
	b.WriteString("config:\n  l0: &l0 [x]\n")
	for i := range 12 {
		ref := "*l" + string(rune('0'+i%10))
		if i >= 10 {
			ref = "*l9"
		}
		b.WriteString("  m" + string(rune('a'+i)) + ": &l" + string(rune('0'+(i+1)%10)) + " [" + strings.Repeat(ref+", ", 9) + ref + "]\n")
	}
	return b.String()
}

// TestRepository checks that a submodule is left out, that a source's own origin file is not trusted, and that allowed files
// stay unchanged.
func TestRepository(t *testing.T) {
	t.Parallel()

	p := newPlace(t)
	url := repository(t, flat(with(map[string]string{".origin.yaml": "url: https://evil.example/x\nname: evil\n", "run.sh": "#!/bin/sh\n"}),
		entry{"alias.go", filemode.Symlink, "main.go"}, entry{"sub", filemode.Submodule, ""}, entry{"tool", filemode.Executable, "x"}))
	added, err := Add(t.Context(), p, Request{Source: url, Name: "greet"}, options())
	if err != nil {
		t.Fatal(err)
	}
	if added.Plugins[0].Name != "greet" || len(added.Commit) != 40 {
		t.Errorf("got %+v", added)
	}
	o, err := manifest.ReadOrigin(added.Dir)
	if err != nil || o.URL != url || o.Commit != added.Commit {
		t.Errorf("got %+v, %v", o, err)
	}
	if _, err := os.Lstat(filepath.Join(added.Dir, "sub")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the submodule is there: %v", err)
	}
	if target, err := os.Readlink(filepath.Join(added.Dir, "alias.go")); target != "main.go" || err != nil {
		t.Errorf("got %s, %v", target, err)
	}
}

func TestGuardBounds(t *testing.T) {
	t.Parallel()

	g := newGuard()
	if err := g.admit("a", MaxBytes); err != nil {
		t.Error(err)
	}
	if err := g.admit("b", 1); err == nil || !strings.Contains(err.Error(), "more than 200 MB") {
		t.Errorf("got %v", err)
	}
	if newGuard().admit("a", -1) == nil {
		t.Error("a negative size is accepted")
	}
	for _, pair := range [][2]string{{"A/x", "a/y"}, {"a/B/x", "a/b/y"}, {"a", "A"}, {"dir/x", "DIR"}} {
		g := newGuard()
		if err := errors.Join(g.admit(pair[0], 0), g.admit(pair[1], 0)); err == nil {
			t.Errorf("%s and %s are both accepted", pair[0], pair[1])
		}
	}
}

// fakeGo returns a directory with a Go command that fails.
func fakeGo(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCancelled(t *testing.T) {
	t.Parallel()

	dir := filepath.Join(t.TempDir(), "src")
	write(t, dir, sound())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := newPlace(t)
	if _, err := Add(ctx, p, Request{Source: dir}, options()); err == nil {
		t.Error("it was installed all the same")
	}
	empty(t, p)
}

// zeros is a reader that never ends.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestMeter(t *testing.T) {
	t.Parallel()

	var told int64
	n, err := io.Copy(io.Discard, &meter{in: zeros{}, progress: func(received int64) { told = received }})
	if err == nil || !strings.Contains(err.Error(), "more than 200 MB") || n > MaxBytes || told > MaxBytes || told == 0 {
		t.Errorf("got %d bytes, told of %d, %v", n, told, err)
	}
}

// TestUnpackBounds checks a pack of a few bytes that claims to hold an object of any size.
func TestUnpackBounds(t *testing.T) {
	t.Parallel()

	pack := []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01")
	// A blob: three bits for the kind, then the size in groups of four and seven bits, the lowest first.
	size := uint64(MaxBytes + 1)
	pack = append(pack, 0x80|3<<4|byte(size&15))
	for size >>= 4; size > 0x7f; size >>= 7 {
		pack = append(pack, 0x80|byte(size&0x7f))
	}
	pack = append(pack, byte(size))
	st := filesystem.NewStorage(osfs.New(t.TempDir()), cache.NewObjectLRUDefault())
	if err := unpack(bytes.NewReader(pack), st); err == nil || !strings.Contains(err.Error(), "an object of more than 200 MB") {
		t.Errorf("got %v", err)
	}
	if err := unpack(strings.NewReader("nonsense"), st); err == nil {
		t.Error("nonsense is a pack")
	}
}
