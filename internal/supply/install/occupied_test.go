package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOccupied checks that the error about a name that is taken suggests only what works.
func TestOccupied(t *testing.T) {
	t.Parallel()
	add := func(source func(*testing.T) string) func(*testing.T, Place) {
		return func(t *testing.T, p Place) {
			t.Helper()
			if _, err := Add(t.Context(), p, Request{Source: source(t), Name: "greet"}, options()); err != nil {
				t.Fatal(err)
			}
		}
	}
	copied := func(t *testing.T) string {
		t.Helper()
		dir := filepath.Join(t.TempDir(), "greet")
		write(t, dir, sound())
		return dir
	}
	cloned := func(t *testing.T) string {
		t.Helper()
		return committed(t, sound())
	}
	rows := []struct {
		name   string
		take   func(t *testing.T, p Place)
		global bool
		want   string
		// updates and removes report whether these commands work.
		updates, removes bool
	}{
		{"from a directory", add(copied), false, "; run `aura plugins remove greet` first, or choose another name with --name", false, true},
		{"for all projects", add(copied), true, "; run `aura plugins remove --global greet` first, or choose another name with --name", false, true},
		{"from git", add(cloned), false, "; `aura plugins update greet` or `aura plugins remove greet`, or choose another name with --name", true, true},
		{"from git, for all projects", add(cloned), true, "; `aura plugins update greet` or `aura plugins remove --global greet`, or choose another name with --name", true, true},
		{"written in place", func(t *testing.T, p Place) {
			t.Helper()
			write(t, filepath.Join(p.Root, "greet"), sound())
		}, false, "; run `aura plugins remove greet` first, or choose another name with --name", false, true},
		{"no plugin", func(t *testing.T, p Place) {
			t.Helper()
			if err := os.MkdirAll(filepath.Join(p.Root, "greet"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, false, "; choose another name with --name", false, false},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p, o := newPlace(t), options()
			o.Global = row.global
			row.take(t, p)
			_, err := Add(t.Context(), p, Request{Source: copied(t)}, o)
			if err == nil || !strings.HasSuffix(err.Error(), "greet is there already"+row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
			if _, err := Update(t.Context(), []Place{p}, "greet", o); (err == nil) != row.updates {
				t.Errorf("updating: %v", err)
			}
			o.Confirm = func(Handmade) error { return nil }
			o.Keep = t.TempDir()
			if _, err := Remove(t.Context(), []Place{p}, "greet", o); (err == nil) != row.removes {
				t.Errorf("removing: %v", err)
			}
		})
	}
}
