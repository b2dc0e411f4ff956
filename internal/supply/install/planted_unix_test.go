//go:build unix

package install

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestPlantedModules vendors a module that is downloaded with git, while the user's module cache has a repository that confined code
// planted: git would run a program of its configuration. The control runs the Go command with that cache.
func TestPlantedModules(t *testing.T) {
	t.Parallel()
	gocmd, git := testneed.Program(t, "go"), testneed.Program(t, "git")
	home := t.TempDir()
	origin := filepath.Join(home, "origin")
	marker := filepath.Join(home, "planted-ran")
	const path = "vcs.example.com/x.git"
	write(t, origin, map[string]string{"go.mod": "module " + path + "\n\ngo 1.25\n", "x.go": "package x\n"})
	write(t, home, map[string]string{
		".gitconfig": "[url \"file://" + origin + "\"]\n\tinsteadOf = https://vcs.example.com/x\n[user]\n\tname = x\n\temail = x@example.com\n",
	})
	environ := []string{
		"PATH=" + filepath.Dir(gocmd) + ":" + filepath.Dir(git) + ":/usr/bin:/bin", "HOME=" + home, "GOPROXY=direct", "GONOSUMDB=*", "GONOSUMCHECK=1",
		"GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "GIT_CONFIG_NOSYSTEM=1",
	}
	run := func(dir, program string, args ...string) (string, error) {
		cmd := exec.Command(program, args...)
		cmd.Dir, cmd.Env = dir, environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "."}, {"commit", "-q", "-m", "x"}, {"tag", "v1.0.0"}} {
		if out, err := run(origin, git, args...); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	plantRepository(t, filepath.Join(home, "go", "pkg", "mod", "cache", "vcs"), "https://vcs.example.com/x", marker)
	plugin := filepath.Join(t.TempDir(), "greet")
	write(t, plugin, map[string]string{
		"plugin.yaml": "", "go.mod": "module greet\n\ngo 1.25\n\nrequire " + path + " v1.0.0\n", "main.go": "package greet\n\nimport _ \"" + path + "\"\n",
	})

	o := options()
	o.NoVendor, o.Environ, o.UserHome, o.Private = false, environ, home, t.TempDir()
	for _, dir := range []string{o.Private, home} {
		t.Cleanup(func() { allowRemoval(t, dir) })
	}
	o.Environ = append(o.Environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=remote.origin.uploadpack", "GIT_CONFIG_VALUE_0=touch "+marker+"; git-upload-pack")
	added, err := Add(t.Context(), newPlace(t), Request{Source: plugin}, o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(added.Dir, "vendor", filepath.FromSlash(path), "x.go")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the planted program ran")
	}
	out, err := run(plugin, gocmd, "mod", "download", path)
	if _, missing := os.Stat(marker); missing != nil {
		t.Errorf("the control did not run the planted program: %v\n%s", err, out)
	}
}

// plantRepository writes a repository into the cache of the Go command that runs a command whenever it is asked for its origin.
func plantRepository(t *testing.T, cache, url, marker string) {
	t.Helper()
	key := "git3:" + url
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	write(t, filepath.Join(cache, name), map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/info/x": "", "refs/heads/x": strings.Repeat("0", 40) + "\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[remote \"origin\"]\n\turl = " + url +
			"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n\tuploadpack = touch " + marker + "; git-upload-pack\n",
	})
	if err := os.Remove(filepath.Join(cache, name, "refs", "heads", "x")); err != nil {
		t.Fatal(err)
	}
	write(t, cache, map[string]string{name + ".info": key})
}

// allowRemoval makes directories writable, because the go command makes those of its cache read-only.
func allowRemoval(t *testing.T, root string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700) //nolint:gosec // it is a directory
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
