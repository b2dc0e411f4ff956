package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository returns a clean repository that can be released.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "internal", "base", "build", "build.go"), "package build\n\nconst Version = \"0.2.0\"\n")
	put(t, filepath.Join(dir, "CHANGELOG.md"), "# Changelog\n\n## [0.2.0] - 2026-01-01\n\n- a\n")
	gitIn(t, dir, "init", "-q")
	commit(t, dir)
	return dir
}

func commit(t *testing.T, dir string) {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x", "--allow-empty")
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// TestRefusals checks which trees are not released.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"a clean tree": {change: func(*testing.T, string) {}},
		"its own tag":  {change: func(t *testing.T, dir string) { t.Helper(); gitIn(t, dir, "tag", "v0.2.0") }},
		"a new file":   {change: func(t *testing.T, dir string) { t.Helper(); put(t, filepath.Join(dir, "new"), "") }, want: "?? new"},
		"a staged file": {change: func(t *testing.T, dir string) {
			t.Helper()
			put(t, filepath.Join(dir, "new"), "")
			gitIn(t, dir, "add", "new")
		}, want: "A  new"},
		"a changed file": {change: func(t *testing.T, dir string) {
			t.Helper()
			put(t, filepath.Join(dir, "CHANGELOG.md"), "# Changelog\n")
		}, want: "changes that are not committed"},
		"no changelog entry": {change: func(t *testing.T, dir string) {
			t.Helper()
			put(t, filepath.Join(dir, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n- a\n")
			commit(t, dir)
		}, want: "no entry for 0.2.0"},
		"no version": {change: func(t *testing.T, dir string) {
			t.Helper()
			put(t, filepath.Join(dir, "internal", "base", "build", "build.go"), "package build\n")
			commit(t, dir)
		}, want: "has no line such as"},
		"a tag elsewhere": {change: func(t *testing.T, dir string) {
			t.Helper()
			gitIn(t, dir, "tag", "v0.2.0")
			commit(t, dir)
		}, want: "the tag v0.2.0 names the commit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t)
			row.change(t, dir)
			src, err := readSource(t.Context(), dir)
			switch {
			case row.want == "" && (err != nil || src.version != "0.2.0" || len(src.commit) != 40):
				t.Errorf("got %+v, %v", src, err)
			case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)):
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// TestConfirm checks that a program of another commit, or of a changed tree, is noticed.
func TestConfirm(t *testing.T) {
	t.Parallel()
	src, err := readSource(t.Context(), repository(t))
	if err != nil {
		t.Fatal(err)
	}
	good := built{Version: "0.2.0", Commit: src.commit, Date: src.stamp(), Go: "go1"}
	if err := src.confirm(good); err != nil {
		t.Error(err)
	}
	for _, spoil := range []func(*built){
		func(b *built) { b.Version = "0.1.0" }, func(b *built) { b.Commit = "f" }, func(b *built) { b.Date = "" }, func(b *built) { b.Modified = true },
	} {
		bad := good
		spoil(&bad)
		if src.confirm(bad) == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-platforms linux-amd64,windows-arm64": "",
		"-platforms linux-386":                 `unknown platform "linux-386"`,
		"-platforms linux":                     `unknown platform "linux"`,
		"more":                                 `unexpected argument "more"`,
	} {
		if _, err := parse(strings.Fields(args)); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}
