package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/idelchi/aura/internal/plugin/manifest"
)

// committed returns the URL of a repository with one commit of these files.
func committed(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := git.PlainInit(dir, false); err != nil {
		t.Fatal(err)
	}
	again(t, dir, files)
	return "file://" + filepath.ToSlash(dir)
}

// again writes files into a repository and commits everything.
func again(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	write(t, dir, files)
	r, err := git.PlainOpen(dir)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Worktree()
	if err == nil {
		err = tree.AddWithOptions(&git.AddOptions{All: true})
	}
	if err == nil {
		_, err = tree.Commit("again", &git.CommitOptions{Author: &object.Signature{Name: "a", Email: "a@example.com"}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestUpdateOfTheSDK checks that an update installs the SDK of this aura, even if there is no new commit.
func TestUpdateOfTheSDK(t *testing.T) {
	t.Parallel()

	p := newPlace(t)
	if _, err := Add(t.Context(), p, Request{Source: committed(t, sound()), Name: "greet"}, options()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(p.Root, "greet"), map[string]string{
		"vendor/github.com/idelchi/aura/sdk/version/version.go": "package version\n\nconst Version = \"7.0.0\"\n",
	})
	if _, err := Trust(t.Context(), []Place{p}, "greet", Options{}); err != nil {
		t.Fatal(err)
	}
	if err := verified(t, p)["greet"]; err == nil || !strings.Contains(err.Error(), "plugin requires SDK ~7.0.0, host has ") {
		t.Fatalf("got %v", err)
	}
	done, err := Update(t.Context(), []Place{p}, "greet", options())
	if err != nil || !done.Restored || done.From != done.To {
		t.Errorf("got %+v, %v", done, err)
	}
	if err := verified(t, p)["greet"]; err != nil {
		t.Error(err)
	}
}

// TestUpdateKeepsDisabled checks that a plugin that the user disabled stays disabled across updates until it is enabled again,
// and that one that the source disabled does not.
func TestUpdateKeepsDisabled(t *testing.T) {
	t.Parallel()

	files := map[string]string{}
	for _, dir := range []string{"mine", "trusted", "theirs", "on"} {
		for name, text := range sound() {
			files[dir+"/"+name] = text
		}
	}
	files["theirs/"+manifest.FileName] = "disabled: true\n"
	url := committed(t, files)
	p := newPlace(t)
	if _, err := Add(t.Context(), p, Request{Source: url, Name: "pack"}, options()); err != nil {
		t.Fatal(err)
	}
	set := func(name, text string) {
		write(t, filepath.Join(p.Root, "pack", name), map[string]string{manifest.FileName: text})
	}
	disabledNow := func() string {
		found, err := manifest.Discover(p.Root)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range found {
			if f.Manifest.Disabled {
				names = append(names, f.Name)
			}
		}
		return strings.Join(names, " ")
	}
	// next updates to a new commit, which enables the plugin that the source had disabled.
	next := func(number string) {
		again(t, strings.TrimPrefix(url, "file://"), map[string]string{"README": number, "theirs/" + manifest.FileName: "description: " + number + "\n"})
		if done, err := Update(t.Context(), []Place{p}, "on", options()); err != nil || done.From == done.To {
			t.Fatalf("got %+v, %v", done, err)
		}
	}
	set("mine", "disabled: true\n")
	set("trusted", "disabled: true\n")
	if _, err := Trust(t.Context(), []Place{p}, "trusted", Options{}); err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"two", "three", "four"} {
		next(number)
		if got := disabledNow(); got != "mine trusted" {
			t.Errorf("at %s: disabled are %s", number, got)
		}
	}
	set("mine", "")
	next("five")
	if got := disabledNow(); got != "trusted" {
		t.Errorf("disabled are %s", got)
	}
}

// TestUpdateWithoutSubpath checks that an update reports a source that has lost the directory of its plugins, and keeps the
// installed version.
func TestUpdateWithoutSubpath(t *testing.T) {
	t.Parallel()

	files := map[string]string{"README": ""}
	for name, text := range sound() {
		files["tools/greet/"+name] = text
	}
	url := committed(t, files)
	p := newPlace(t)
	if _, err := Add(t.Context(), p, Request{Source: url, Name: "unit", Subpaths: []string{"tools"}}, options()); err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimPrefix(url, "file://")
	if err := os.Rename(filepath.Join(dir, "tools"), filepath.Join(dir, "moved")); err != nil {
		t.Fatal(err)
	}
	again(t, dir, nil)
	if _, err := Update(t.Context(), []Place{p}, "unit", options()); err == nil || err.Error() != "updating unit: there is no directory tools in it" {
		t.Errorf("got %v", err)
	}
	if err, ok := verified(t, p)["unit"]; err != nil || !ok {
		t.Errorf("the old one: %t, %v", ok, err)
	}
}
