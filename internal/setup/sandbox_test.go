package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/tool/builtin"
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

// TestConfinedReports checks that protected paths that a command created are reported once, and that existing paths are not
// reported.
func TestConfinedReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var told, protected []string
	for _, name := range []string{"was", "made", "made/x", "put", ".git/commondir"} {
		protected = append(protected, filepath.Join(dir, filepath.FromSlash(name)))
	}
	c := confined{
		Tool: builtin.All(builtin.Options{Workdir: dir})[0], options: builtin.Options{Workdir: dir},
		policy: sandbox.Policy{Exec: true, Protected: protected},
		tell:   func(sentences []string) { told = append(told, sentences...) },
	}
	touch(t, filepath.Join(dir, "was", "x"))
	before := c.missing()
	touch(t, filepath.Join(dir, "made", "x"))
	touch(t, filepath.Join(dir, ".git", "commondir"))
	c.report(sandbox.Report{Mounts: true, Uncovered: []string{"something"}}, before)
	if len(told) != 2 || told[0] != "something" || !strings.Contains(told[1], "made "+filepath.Join(dir, "made")+", "+filepath.Join(dir, ".git", "commondir")+",") {
		t.Errorf("told %q", told)
	}
}

// TestConfinedReportsEmpty checks that an empty directory is reported if the sandbox itself does not create it: an empty .aura or .git
// hides the project's home above.
func TestConfinedReportsEmpty(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	work := filepath.Join(root, "mid", "work")
	place := sandbox.Place{Workdir: work, Project: root, Temp: filepath.Join(root, "mid"), Sources: []string{filepath.Join(work, "parts")}}
	if err := os.MkdirAll(work, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mid/work/.aura", "mid/work/.git", "mid/.aura", "mid/.git"} {
		var told []string
		c := Confinement{enabled: true, place: place, tell: func(sentences []string) { told = append(told, sentences...) }}
		bash := c.Builtins(builtin.Options{Workdir: work}, nil)[0].(confined)
		bash.policy = c.Policy(sandbox.KindShell)
		before := bash.missing()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(path, 0o700), os.MkdirAll(filepath.Join(work, "parts"), 0o700)); err != nil {
			t.Fatal(err)
		}
		bash.report(sandbox.Report{Mounts: true}, before)
		want := " made " + path + ", which did not exist"
		if len(told) != 1 || !strings.Contains(told[0], want) || !strings.HasSuffix(told[0], " do not use "+filepath.Join(root, ".aura")) {
			t.Errorf("%s: told %q", name, told)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}
