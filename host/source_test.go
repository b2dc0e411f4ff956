package host

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/shared"
)

// TestSourceCopy packs the source of plugins, and unpacks it elsewhere.
func TestSourceCopy(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		// files are below the plugin's directory; "" is the plugin itself.
		files      map[string]string
		args, want []string
	}{
		"a directory": {
			files: map[string]string{"main.go": "package p", "vendor/x/x.go": "package x", ".hidden": "no"},
		},
		"a file": {
			files: map[string]string{"": "def register(api): pass"},
			args:  []string{"-m", "run", "FROM"}, want: []string{"-m", "run", "TO"},
		},
		"what is not in the copy": {
			files: map[string]string{"x.py": "x", ".packages/y.py": "y"},
			args:  []string{"FROM", "FROM/.packages"}, want: []string{"TO", "FROM/.packages"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := filepath.Join(t.TempDir(), "p"), filepath.Join(t.TempDir(), "p")
			for file, text := range row.files {
				path := filepath.Join(from, file)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var b bytes.Buffer
			if err := packSource(&b, from); err != nil {
				t.Fatal(err)
			}
			if err := unpackSource(b.Bytes(), to); err != nil {
				t.Fatal(err)
			}
			if versionOf(from) == "" || versionOf(from) != versionOf(to) {
				t.Errorf("the copy differs: %q, %q", versionOf(from), versionOf(to))
			}
			spec := Spec{Plugin: manifest.Plugin{Dir: from}, Guest: &shared.Guest{Args: named(row.args, from, to)}}
			if got := spec.in(to); !slices.Equal(got.Guest.Args, named(row.want, from, to)) || got.Dir != to || !slices.Equal(spec.Guest.Args, named(row.args, from, to)) {
				t.Errorf("started with %q in %s", got.Guest.Args, got.Dir)
			}
		})
	}
}

func named(args []string, from, to string) []string {
	var out []string
	for _, arg := range args {
		switch {
		case len(arg) >= 4 && arg[:4] == "FROM":
			arg = from + arg[4:]
		case arg == "TO":
			arg = to
		}
		out = append(out, arg)
	}
	return out
}

// TestPlaceSource places the same copy from several calls at once: one of them writes it, and no file of it ever goes away.
func TestPlaceSource(t *testing.T) {
	t.Parallel()
	from, root := t.TempDir(), filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(filepath.Join(from, "main.go"), []byte("package p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := packSource(&b, from); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var made atomic.Int32
	for range 20 {
		group.Go(func() {
			path, fresh, err := placeSource(b.Bytes(), root, "tree", "p")
			if fresh {
				made.Add(1)
			}
			if err != nil || versionOf(path) != versionOf(from) {
				t.Errorf("%s: %v", path, err)
			}
		})
	}
	group.Wait()
	left, err := os.ReadDir(root)
	if made.Load() != 1 || err != nil || len(left) != 1 {
		t.Errorf("%d copies were made, and %v is left: %v", made.Load(), left, err)
	}
}
