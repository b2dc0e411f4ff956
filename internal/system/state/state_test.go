package state_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/state"
)

func TestLocate(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ xdg, home, root string }{
		"set":       {"/state", "/home/u", "/state/aura"},
		"default":   {"", "/home/u", "/home/u/.local/state/aura"},
		"relative":  {"state", "/home/u", "/home/u/.local/state/aura"},
		"no home":   {"", "", ""},
		"only xdg":  {"/state", "", "/state/aura"},
		"odd homes": {"", "home", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := state.Locate(row.xdg, row.home, "/src/project")
			if p.Root != row.root {
				t.Errorf("Root is %q, want %q", p.Root, row.root)
			}
			for _, dir := range []string{p.Project, p.Sessions(), p.Output(), p.Prompts(), p.Logs(), p.Data(), p.Cache(), p.Run(), p.Trust(), p.User().Data()} {
				if row.root == "" && dir != "" || row.root != "" && !strings.HasPrefix(dir, row.root+"/") {
					t.Errorf("%q is not below %q", dir, row.root)
				}
			}
		})
	}
}

func TestProjects(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, other, link := filepath.Join(dir, "a b\n"), filepath.Join(dir, "other", "a b\n"), filepath.Join(dir, "link")
	for _, d := range []string{real, other} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	of := func(project string) string { return state.Locate("/state", "", project).Project }
	if of(real) != of(link) {
		t.Errorf("a link to a project has another state: %q, %q", of(real), of(link))
	}
	if of(real) == of(other) {
		t.Errorf("two projects share %q", of(real))
	}
	if got := filepath.Base(of(real)); !strings.HasPrefix(got, "a_b_-") {
		t.Errorf("the name %q does not begin as the directory is called", got)
	}
	if long := of("/" + strings.Repeat("x", 300)); len(filepath.Base(long)) > 80 {
		t.Errorf("the name is too long: %q", long)
	}
}
