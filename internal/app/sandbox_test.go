package app

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

func TestScrubbed(t *testing.T) {
	t.Parallel()
	env := []string{
		"PATH=/bin", "LANG=C", "MY_API_KEY=x", "GITHUB_TOKEN=x", "AWS_SECRET_ACCESS_KEY=x", "PGPASSWORD=x", "SSH_AUTH_SOCK=x",
		"AURA_HOME=x", "GOOGLE_APPLICATION_CREDENTIALS=x", "KEYBOARD=us",
	}
	got := scrubbed(env, map[string]string{"TASK_TOKEN": "given"})
	if want := []string{"PATH=/bin", "LANG=C", "KEYBOARD=us", "TASK_TOKEN=given"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
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

// TestConfinedReports tells once what a command made where nothing was to protect, and nothing of what was there before.
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

func touch(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}
