package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/system/planted"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestEnvironment checks which variables command lines see.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]bool{
		"PATH=/bin": true, "LC_ALL=C": true, "GOFLAGS=-mod=mod": true, "CGO_ENABLED=0": true, "https_proxy=http://proxy:3128": true,
		"https_proxy=http://me:secret@proxy:3128": false, "GOPROXY=https://me:secret@mirror": false, "GOPROXY=https://mirror,direct": true,
		"MY_API_KEY=x": false, "SSH_AUTH_SOCK=x": false, "AURA_HOME=x": false, "LD_PRELOAD=x": false, "BASH_ENV=x": false,
		"GIT_SSH_COMMAND=x": false, "NODE_OPTIONS=x": false, "KEYBOARD=us": false, "PATHS=x": false, "path=x": false, "DISPLAY=:0": false,
		"NAMED=x": true, "PRE_FIX=x": true, "PRE=x": false, "NAMED_TOO=x": false,
	} {
		got := environment([]string{entry}, []string{"NAMED", "PRE_*"}, map[string]string{"TASK_TOKEN": "given"})
		if slices.Contains(got, entry) != want || !slices.Contains(got, "TASK_TOKEN=given") {
			t.Errorf("of %s there is %q", entry, got)
		}
	}
}

func TestCachesIn(t *testing.T) {
	t.Parallel()
	env := []string{"GOCACHE=/c", "GOPATH=" + strings.Join([]string{"/a", "/b"}, string(filepath.ListSeparator)), "CARGO_HOME=/cargo", "HOME=/h"}
	want := []string{"/c", "/a/pkg", "/b/pkg", "/cargo/registry", "/cargo/git"}
	if got := cachesIn(env); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := cachesIn([]string{"CARGO_HOME="}); len(got) > 0 {
		t.Errorf("of an empty variable: %q", got)
	}
}

// TestWatching checks what is moved and what is only named: an empty .aura or .git hides the project's home above, and the sandbox itself
// creates an empty directory of plugins.
func TestWatching(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(root, "mid", "work")
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	place := sandbox.Place{
		Workdir: work, Project: root, Temp: filepath.Join(root, "mid"), Sources: []string{filepath.Join(work, "parts")},
		EnvFiles: []string{filepath.Join(work, "secrets.env")},
	}
	for name, moved := range map[string]bool{"mid/work/.aura": true, "mid/work/.git": false, "mid/.aura": true, "mid/.git": false, "mid/work/secrets.env": true} {
		var told, made []string
		c := Confinement{enabled: true, place: place, grants: sandbox.GrantsIn(work), quarantine: planted.Store{Dir: filepath.Join(root, "state", filepath.Base(name), name)}}
		c = c.Noting(func(texts []string) { told = append(told, texts...) }, func(paths []string) { made = append(made, paths...) }, nil)
		c.watch = sync.OnceValue(c.newWatch)
		path := filepath.Join(root, filepath.FromSlash(name))
		end := c.Watching("Bash")
		if err := errors.Join(os.MkdirAll(path, 0o700), os.MkdirAll(filepath.Join(work, "parts"), 0o700)); err != nil {
			t.Fatal(err)
		}
		found := end()
		if len(told) != 1 || !slices.Equal(told, found) || !slices.Equal(made, []string{path}) || !strings.HasPrefix(told[0], "Bash left "+path+": ") {
			t.Errorf("%s: told %q, found %q, made %q", name, told, found, made)
		}
		if _, err := os.Stat(path); (err != nil) != moved {
			t.Errorf("%s: is there: %t", name, err == nil)
		}
		if hint := "sessions in this directory do not use " + filepath.Join(root, ".aura"); !moved && !strings.Contains(told[0], hint) {
			t.Errorf("%s: told %q", name, told)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}
