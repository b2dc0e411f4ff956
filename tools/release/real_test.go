//go:build real

package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var (
	realPlatforms = flag.String("platforms", "linux-amd64", "platforms to build for")
	realDist      = flag.String("dist", "", "directory that the release is left in")
	realCold      = flag.Bool("cold", false, "build a second time without the build cache")
)

// TestReal makes a release of the files in this tree twice, in two directories, and compares the bytes. The files are committed in a repository of
// their own, so that a tree with changes can be checked too.
func TestReal(t *testing.T) {
	first := snapshot(t, filepath.Join("..", ".."))
	second := filepath.Join(t.TempDir(), "a", "longer", "path")
	gitIn(t, first, "clone", "-q", first, second)
	dist := *realDist
	if dist == "" {
		dist = filepath.Join(t.TempDir(), "dist")
	}
	again := filepath.Join(t.TempDir(), "again")
	release := func(root, dist string) error {
		return run(t.Context(), []string{"-root", root, "-dist", dist, "-platforms", *realPlatforms}, io.Discard, io.Discard)
	}
	if err := release(first, dist); err != nil {
		t.Fatal(err)
	}
	if *realCold {
		t.Setenv("GOCACHE", t.TempDir())
	}
	if err := release(second, again); err != nil {
		t.Fatal(err)
	}
	one, two := read(t, dist), read(t, again)
	if len(one) != len(two) {
		t.Errorf("got %d and %d files", len(one), len(two))
	}
	for name, data := range one {
		if !bytes.Equal(data, two[name]) {
			t.Errorf("%s differs between two builds", name)
		}
		t.Logf("%11d %s", len(data), name)
	}
	put(t, filepath.Join(first, "more"), "")
	if err := release(first, again); err == nil || !strings.Contains(err.Error(), "?? more") {
		t.Errorf("a tree with changes: got %v", err)
	}
}

// snapshot returns a repository with the files of a working tree, committed.
func snapshot(t *testing.T, root string) string {
	t.Helper()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if err := copyFile(filepath.Join(root, name), filepath.Join(dir, name)); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	gitIn(t, dir, "init", "-q")
	commit(t, dir)
	return dir
}

func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}
