package placement_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/idelchi/aura/internal/fleet/placement"
)

// repo is the root of the repository.
var repo = filepath.Join("..", "..", "..")

// instructions returns the arguments of the Dockerfile's instructions by their names, in order.
func instructions(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repo, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		if name, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			out[name] = append(out[name], rest)
		}
	}
	return out
}

// TestImage checks that the specifications fit the image.
func TestImage(t *testing.T) {
	t.Parallel()
	got := instructions(t)
	for name, want := range map[string]string{
		"USER":       fmt.Sprintf("%d:%d", placement.User, placement.User),
		"WORKDIR":    placement.Workdir,
		"ENV":        "HOME=" + placement.Home + " AURA_HOME=" + placement.Configuration,
		"ENTRYPOINT": `["/usr/bin/tini", "--", "aura"]`,
	} {
		if list := got[name]; len(list) == 0 || list[len(list)-1] != want {
			t.Errorf("%s is %q, want %q at the end", name, list, want)
		}
	}
	run := strings.Join(got["RUN"], "\n")
	for _, want := range []string{
		fmt.Sprintf("--gid %d aura", placement.User), fmt.Sprintf("--uid %d ", placement.User), "--mode 0700 " + placement.Home, placement.Configuration, "./cmd/...",
	} {
		if !strings.Contains(run, want) {
			t.Errorf("the commands of the image do not contain %q", want)
		}
	}
}

// TestImageBuildsWithThisGo checks that the image has the Go release that go.mod requires.
func TestImageBuildsWithThisGo(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`^\d+\.\d+`).FindString(module.Go.Version)
	if from := instructions(t)["FROM"]; from[0] != "golang:"+release+"-bookworm AS build" {
		t.Errorf("the image is built with %q, but go.mod requires Go %s", from[0], release)
	}
}

// TestImageContext checks that the build context has the directories with the source of both programs and of what they embed, and what
// the image copies.
func TestImageContext(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(repo, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	entries, err := os.ReadDir(repo)
	if err != nil {
		t.Fatal(err)
	}
	// These directories have no source of the programs.
	without := []string{"docs", "examples", "tools", "bin", "dist"}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(without, e.Name()) && !slices.Contains(lines, "!"+e.Name()) {
			t.Errorf("%s is not in the build context: add it to .dockerignore, or to the list here", e.Name())
		}
	}
	// Templates of plugins, which aura embeds, are in directories and files with such names.
	for _, line := range lines {
		if strings.Contains(line, "testdata") || strings.Contains(line, "_test") {
			t.Errorf("%s would leave out files that aura embeds", line)
		}
	}
	for _, list := range instructions(t)["COPY"] {
		for _, source := range strings.Fields(list)[:len(strings.Fields(list))-1] {
			if strings.HasPrefix(source, "--from=") {
				break
			}
			if _, err := os.Stat(filepath.Join(repo, source)); err != nil {
				t.Error(err)
			}
		}
	}
}
