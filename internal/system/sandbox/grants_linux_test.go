package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestGrants checks which grants are opened, and what is reported about the others. All paths are below one directory.
func TestGrants(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rw, ro []string
		// links are created first, from the key to the value.
		links map[string]string
		// writable and readable are the remaining grants; pinned lists those that are passed as descriptors.
		writable, readable, pinned []string
		refused                    string
	}{
		"plain":                        {rw: []string{"work", "tmp"}, writable: []string{"work", "tmp"}, pinned: []string{"work", "tmp"}},
		"nothing there":                {rw: []string{"work", "none"}, writable: []string{"work"}, pinned: []string{"work"}},
		"twice":                        {rw: []string{"work", "work"}, writable: []string{"work"}, pinned: []string{"work"}},
		"read-only elsewhere":          {rw: []string{"work"}, ro: []string{"lib"}, writable: []string{"work"}, readable: []string{"lib"}, pinned: []string{"work"}},
		"read-only inside":             {rw: []string{"work"}, ro: []string{"work/sub"}, writable: []string{"work"}, pinned: []string{"work"}},
		"a link that nobody can write": {rw: []string{"work", "cache"}, links: map[string]string{"cache": "tmp"}, writable: []string{"work", "tmp"}, pinned: []string{"work", "tmp"}},
		"a link in a writable tree": {
			rw: []string{"work", "work/out"}, links: map[string]string{"work/out": "../home"}, writable: []string{"work"}, pinned: []string{"work"},
			refused: "work/out is not granted, because the symbolic link",
		},
		"a link on the way": {
			rw: []string{"work", "work/a/out"}, links: map[string]string{"work/a": "../home"}, writable: []string{"work"}, pinned: []string{"work"},
			refused: "work/a/out is not granted, because the symbolic link",
		},
		"a link in a tree that a link leads to": {
			rw: []string{"alias/out", "alias"}, links: map[string]string{"alias": "work", "work/out": "../home"}, writable: []string{"work"}, pinned: []string{"work"},
			refused: "alias/out is not granted",
		},
		"links in the wrong order": {
			rw: []string{"z", "a/l"}, links: map[string]string{"z": "work/in", "a/l": "../work", "work/in": "../home"}, writable: []string{"work"}, pinned: []string{"work"},
			refused: "z is not granted",
		},
		"a link to read": {
			rw: []string{"work"}, ro: []string{"work/out"}, links: map[string]string{"work/out": "../home"}, writable: []string{"work"}, pinned: []string{"work"},
			refused: "work/out is not granted",
		},
		"a link to read, and what it leads to": {
			rw: []string{"work"}, ro: []string{"work/out", "home"}, links: map[string]string{"work/out": "../home"}, writable: []string{"work"}, readable: []string{"home"},
			pinned: []string{"work"},
		},
		"a link to read that stays": {
			rw: []string{"work"}, ro: []string{"work/out"}, links: map[string]string{"work/out": "sub"}, writable: []string{"work"}, pinned: []string{"work"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := layGrants(t, tt.links)
			var g sandbox.Grants
			defer g.Close()
			p := g.Open(sandbox.Policy{ReadWrite: under(base, tt.rw), ReadOnly: under(base, tt.ro)})
			if got := under(base, tt.writable); !slices.Equal(p.ReadWrite, got) {
				t.Errorf("rw = %q", p.ReadWrite)
			}
			if !slices.Equal(p.ReadOnly, under(base, tt.readable)) {
				t.Errorf("ro = %q", p.ReadOnly)
			}
			for _, path := range under(base, tt.pinned) {
				if fileOf(p, path) == nil {
					t.Errorf("%s has no descriptor", path)
				}
			}
			if said := strings.Join(p.Uncovered, "\n"); (tt.refused == "") != (said == "") || !strings.Contains(said, tt.refused) {
				t.Errorf("said %q, want %q", said, tt.refused)
			}
		})
	}
}

// fileOf returns the file that a policy passes for a path, or nil.
func fileOf(p sandbox.Policy, path string) *os.File {
	if i := slices.Index(p.Pinned, path); i >= 0 {
		return p.Files()[i]
	}
	return nil
}

// TestGrantsLast checks that a path that was opened once is not opened again, also if another policy contains it.
func TestGrantsLast(t *testing.T) {
	t.Parallel()
	base := layGrants(t, nil)
	var g sandbox.Grants
	defer g.Close()
	policy := sandbox.Policy{ReadWrite: under(base, []string{"work", "work/sub"})}
	first := g.Open(policy)
	sub := filepath.Join(base, "work/sub")
	if err := errors.Join(os.Rename(sub, sub+"2"), os.Symlink("../home", sub)); err != nil {
		t.Fatal(err)
	}
	second := g.Open(policy)
	if f := fileOf(first, sub); f == nil || f != fileOf(second, sub) || !slices.Equal(second.ReadWrite, policy.ReadWrite) {
		t.Errorf("first %v, then %v", first, second)
	}
	// A path that is opened only now is followed through the links as they are now.
	late := g.Open(sandbox.Policy{ReadWrite: []string{filepath.Join(sub, "dir")}})
	if len(late.ReadWrite) > 0 || len(late.Uncovered) != 1 {
		t.Errorf("granted %q, said %q", late.ReadWrite, late.Uncovered)
	}
}

// TestGrantsMake checks that missing directories are created, but not through a link that confined code can replace.
func TestGrantsMake(t *testing.T) {
	t.Parallel()
	base := layGrants(t, map[string]string{"work/link": "../home"})
	var g sandbox.Grants
	defer g.Close()
	paths := under(base, []string{"work", "far/away/cache", "work/link/made"})
	p := g.Open(sandbox.Policy{ReadWrite: paths, Make: paths[1:], Inner: paths[2:]})
	if !slices.Contains(p.ReadWrite, paths[1]) {
		t.Errorf("rw = %q, said %q", p.ReadWrite, p.Uncovered)
	}
	g.Open(sandbox.Policy{ReadWrite: paths, Make: paths[1:], Inner: paths[2:]})
	if _, err := os.Stat(filepath.Join(base, "home/made")); err == nil {
		t.Error("a directory was made through a link")
	}
}

func layGrants(t *testing.T, links map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work/sub", "tmp", "lib", "home/out", "home/dir", "a"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range links {
		if err := os.Symlink(to, filepath.Join(base, from)); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func under(base string, names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, filepath.Join(base, name))
	}
	return out
}
