package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
)

// installed returns a place with a valid plugin, added from a directory.
func installed(t *testing.T, files map[string]string) Place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "greet")
	write(t, dir, files)
	p := newPlace(t)
	if _, err := Add(t.Context(), p, Request{Source: dir}, options()); err != nil {
		t.Fatal(err)
	}
	return p
}

// verified returns the plugins that aura finds in a place.
func verified(t *testing.T, p Place) map[string]error {
	t.Helper()
	found, err := manifest.Discover(p.Root)
	if err != nil {
		t.Fatal(err)
	}
	Verify(p, found, nil)
	out := map[string]error{}
	for _, f := range found {
		out[f.Name] = f.Err
	}
	return out
}

func TestVerify(t *testing.T) {
	t.Parallel()

	at := func(p Place, name string) string { return filepath.Join(p.Root, "greet", filepath.FromSlash(name)) }
	put := func(name string) func(Place) error {
		return func(p Place) error {
			if err := os.MkdirAll(filepath.Dir(at(p, name)), 0o755); err != nil {
				return err
			}
			return os.WriteFile(at(p, name), []byte("other"), 0o644)
		}
	}
	tests := []struct {
		name   string
		change func(Place) error
		want   string // empty if the plugin is loaded
	}{
		{"nothing", func(Place) error { return nil }, ""},
		{"permission", func(p Place) error { return os.Chmod(at(p, "main.go"), 0o600) }, ""},
		{"empty directory", func(p Place) error { return os.Mkdir(at(p, "d"), 0o700) }, ""},
		{"content", put("main.go"), "main.go (changed)"},
		{"new file", put("new.go"), "new.go (new)"},
		{"hidden file", put(".x"), ".x (new)"},
		{"file in a hidden directory", put(".d/x"), ".d/x (new)"},
		{"vendored file", put("vendor/a/b.go"), "vendor/a/b.go (changed)"},
		{"new vendored file", put("vendor/a/c.go"), "vendor/a/c.go (new)"},
		{"no file", func(p Place) error { return os.Remove(at(p, "main.go")) }, "main.go (removed)"},
		{"renamed file", func(p Place) error { return os.Rename(at(p, "main.go"), at(p, "m.go")) }, "m.go (new), main.go (removed)"},
		{"link for a file", func(p Place) error {
			return errors.Join(os.Rename(at(p, "main.go"), filepath.Join(p.Home, "main.go")), os.Symlink("../../main.go", at(p, "main.go")))
		}, "main.go (changed)"},
		{"lock that was tampered with", func(p Place) error {
			file := filepath.Join(p.Home, LockFile)
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return os.WriteFile(file, []byte(strings.Replace(string(text), `"hash": "sha256:`, `"hash": "sha256:00`, 1)), 0o644)
		}, "its files have changed"},
		{"broken lock", func(p Place) error { return os.WriteFile(filepath.Join(p.Home, LockFile), []byte("{"), 0o644) }, "reading what is installed"},
		{"lock of a later version", func(p Place) error {
			return os.WriteFile(filepath.Join(p.Home, LockFile), []byte(`{"version": 2, "plugins": {}}`), 0o644)
		}, "has version 2"},
		{"lock of a later version with other keys", func(p Place) error {
			return os.WriteFile(filepath.Join(p.Home, LockFile), []byte(`{"version": 2, "units": []}`), 0o644)
		}, "has version 2"},
		{"incompatible SDK by hand", func(p Place) error {
			dir := filepath.Join(p.Root, "greet", "vendor", "github.com", "idelchi", "aura", "sdk", "version")
			return errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "version.go"), []byte("package version\nconst Version = \"7.0.0\"\n"), 0o644),
				os.Remove(filepath.Join(p.Home, LockFile)))
		}, "plugin requires SDK ~7.0.0, host has "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := installed(t, with(map[string]string{"vendor/a/b.go": "package a\n"}))
			if err := tt.change(p); err != nil {
				t.Fatal(err)
			}
			err := verified(t, p)["greet"]
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, refused := errors.AsType[*manifest.RefusedError](err); !refused || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestVerifyLeavesOthersAlone(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, filepath.Join(p.Root, "byhand"), sound())
	write(t, filepath.Join(p.Root, "tools", "nested"), sound())
	for name, err := range verified(t, p) {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestChangedError checks that the suggested commands can be typed as they are shown.
func TestChangedError(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]string{"größe_2.x": "größe_2.x", "my plugin": "'my plugin'", "it's": `'it'\''s'`, "a;b": "'a;b'"} {
		for _, e := range []*ChangedError{{Name: name}, {Name: name, Updatable: true}, {Name: name, Updatable: true, Unrecorded: "lock"}} {
			if got := e.Error(); strings.Count(got, " "+want+"`") != 2 {
				t.Errorf("%s: got %s", name, got)
			}
		}
	}
}

// TestVerifyForeign checks that a plugin that was put into an installed pack afterwards is not part of the pack.
func TestVerifyForeign(t *testing.T) {
	t.Parallel()

	p := newPlace(t)
	url := repository(t, flat(sound()))
	if _, err := Add(t.Context(), p, Request{Source: url, Name: "pack"}, options()); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(p.Root, "pack")
	// As the only plugin, it even has the name of the installed unit.
	if err := os.Rename(filepath.Join(dir, "plugin.yaml"), filepath.Join(dir, "was.yaml")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "evil"), sound())
	if err := verified(t, p)["pack"]; err == nil || !strings.Contains(err.Error(), LockFile+" has no entry for it") {
		t.Errorf("got %v", err)
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, filepath.Join(p.Root, "greet"), map[string]string{"new.go": "package greet\n"})
	list, err := Trust(t.Context(), []Place{p}, "greet", Options{})
	if err != nil || len(list) != 1 || list[0].Files.String() != "new.go (new)" {
		t.Errorf("got %+v, %v", list, err)
	}
	if err := verified(t, p)["greet"]; err != nil {
		t.Error(err)
	}
}

// TestSweep checks that the next operation removes what a killed process left, and restores what the process had moved aside.
func TestSweep(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, p.Root, map[string]string{stagePrefix + "1/tree/x/plugin.yaml": "", oldPrefix + "greet/plugin.yaml": "", oldPrefix + "lost/plugin.yaml": ""})
	write(t, p.Home, map[string]string{lockPrefix + "1": "{"})
	if err := os.Chmod(filepath.Join(p.Root, stagePrefix+"1", "tree"), 0o500); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "second")
	write(t, dir, sound())
	if _, err := Add(t.Context(), p, Request{Source: dir}, options()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, dir := range []string{p.Home, p.Root} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
	}
	if got := strings.Join(names, " "); got != "plugins plugins.lock greet lost second" {
		t.Errorf("got %s", got)
	}
}

// TestInterruptedUpdate checks that an update that was killed between its steps leaves a plugin that loads, the old or the new
// one.
func TestInterruptedUpdate(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	next := filepath.Join(t.TempDir(), "greet")
	write(t, next, with(map[string]string{"more.go": "package greet\n"}))
	lock, err := readLock(p)
	if err != nil {
		t.Fatal(err)
	}
	entry, err := lockPlugin(next, locked{Unit: "greet"})
	if err != nil {
		t.Fatal(err)
	}
	lock.Pending = map[string]locked{"greet": entry}
	if err := lock.write(p); err != nil {
		t.Fatal(err)
	}
	if err := verified(t, p)["greet"]; err != nil {
		t.Errorf("the old one: %v", err)
	}
	write(t, filepath.Join(p.Root, "greet"), map[string]string{"more.go": "package greet\n"})
	if err := verified(t, p)["greet"]; err != nil {
		t.Errorf("the new one: %v", err)
	}
	write(t, filepath.Join(p.Root, "greet"), map[string]string{"more.go": "package other\n"})
	if err := verified(t, p)["greet"]; err == nil {
		t.Error("anything is loaded")
	}
}

func TestReplaceWithoutExchange(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	s, err := newStage(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	staged, err := s.path("tree", "greet")
	if err != nil {
		t.Fatal(err)
	}
	write(t, staged, map[string]string{"new": ""})
	target := filepath.Join(p.Root, "greet")
	if err := replace(p, staged, target); err != nil {
		t.Fatal(err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target, "new")); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(filepath.Join(p.Root, ".*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestTogether checks that many concurrent operations wait for each other and that none is lost.
func TestTogether(t *testing.T) {
	t.Parallel()

	p := newPlace(t)
	names := []string{"a", "b", "c", "d", "e", "f"}
	var group sync.WaitGroup
	for _, name := range names {
		dir := filepath.Join(t.TempDir(), name)
		write(t, dir, sound())
		group.Go(func() {
			if _, err := Add(t.Context(), p, Request{Source: dir}, options()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	group.Wait()
	lock, err := readLock(p)
	if err != nil || len(lock.Plugins) != len(names) {
		t.Errorf("got %d of %d, %v", len(lock.Plugins), len(names), err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, filepath.Join(p.Root, "tools", "byhand"), sound())
	elsewhere := filepath.Join(t.TempDir(), "linked")
	write(t, elsewhere, sound())
	testneed.Link(t, elsewhere, filepath.Join(p.Root, "linked"))
	for _, name := range []string{"greet", "byhand", "linked"} {
		if _, err := Remove(t.Context(), []Place{p}, name, Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(verified(t, p)) > 0 {
		t.Error("something is left")
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "main.go")); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.Home, LockFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock: %v", err)
	}
	for _, name := range []string{"nosuch", "..", "tools"} {
		if _, err := Remove(t.Context(), []Place{p}, name, Options{}); err == nil {
			t.Errorf("%q was removed", name)
		}
	}
}

// TestRemoveUnread checks that a plugin that cannot be removed from the lock is kept.
func TestRemoveUnread(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	write(t, p.Home, map[string]string{LockFile: "{"})
	if _, err := Remove(t.Context(), []Place{p}, "greet", Options{}); err == nil || !strings.Contains(err.Error(), "restore the file") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(p.Root, "greet", "main.go")); err != nil {
		t.Errorf("it is gone all the same: %v", err)
	}
}

// TestLinkedPlugin checks a plugin whose directory is a link.
func TestLinkedPlugin(t *testing.T) {
	t.Parallel()

	p := installed(t, sound())
	elsewhere := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(filepath.Join(p.Root, "greet"), elsewhere); err != nil {
		t.Fatal(err)
	}
	testneed.Link(t, elsewhere, filepath.Join(p.Root, "greet"))
	if err := verified(t, p)["greet"]; err != nil {
		t.Errorf("it is as it was, but: %v", err)
	}
	if _, err := Trust(t.Context(), []Place{p}, "greet", Options{}); err != nil {
		t.Fatal(err)
	}
	write(t, elsewhere, map[string]string{"main.go": "package other\n"})
	if err := verified(t, p)["greet"]; err == nil || !strings.Contains(err.Error(), "main.go (changed)") {
		t.Errorf("got %v", err)
	}
	if _, err := Remove(t.Context(), []Place{p}, "greet", Options{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(p.Home, LockFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock: %v", err)
	}
}

func FuzzReadLock(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"version":1,"plugins":{"a":{"unit":"a","hash":"x","files":{"b":"c"}}}}`, `{"version":1,"pending":null}`, "[]", `{"version":9}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p := newPlace(t)
		write(t, p.Home, map[string]string{LockFile: string(text)})
		lock, err := readLock(p)
		if err != nil {
			return
		}
		lock.prune(p)
		lock.drop("a")
		if err := lock.verify(p, manifest.Plugin{Name: "a", Dir: filepath.Join(p.Root, "a"), Origin: &manifest.Origin{}}); err == nil && len(lock.Plugins) > 0 {
			t.Errorf("%s: a plugin that is not there is as it was", text)
		}
	})
}

func TestParseLock(t *testing.T) {
	t.Parallel()

	entry := func(dir, unit string) string {
		return fmt.Sprintf(`{"version": 1, "plugins": {%q: {"unit": %q, "hash": "h", "files": {}}}}`, dir, unit)
	}
	for name, row := range map[string]struct {
		text string
		want string // empty if the lock is valid
	}{
		"nothing installed":             {`{"version": 1, "plugins": {}}`, ""},
		"a plugin":                      {entry("greet", "greet"), ""},
		"a plugin of a pack":            {entry("pack/a/b", "pack"), ""},
		"pending":                       {`{"version": 1, "plugins": {}, "pending": {"a": {"unit": "a", "hash": "h", "files": {}}}}`, ""},
		"more after the end":            {`{"version": 1, "plugins": {}} {}`, "there is more after the end"},
		"unknown key":                   {`{"version": 1, "plugins": {}, "x": 1}`, `unknown field "x"`},
		"no version":                    {`{"plugins": {}}`, `it needs "version": 1 and "plugins"`},
		"no plugins":                    {`{"version": 1}`, `it needs "version": 1 and "plugins"`},
		"null":                          {`null`, `it needs "version": 1 and "plugins"`},
		"incomplete":                    {`{"version": 1, "plugins": {"a": {"unit": "a", "files": {}}}}`, `plugin "a": an entry needs "unit", "hash" and "files"`},
		"incomplete pending":            {`{"version": 1, "plugins": {}, "pending": {"a": {}}}`, `plugin "a": an entry needs`},
		"unit is the home":              {entry("greet", ".."), `the unit ".." is not its directory`},
		"unit is above the home":        {entry("greet", "../.."), "is not its directory"},
		"unit leaves and comes back":    {entry("greet", "../plugins/greet"), "is not its directory"},
		"unit is all plugins":           {entry("greet", "."), "is not its directory"},
		"unit is absolute":              {entry("greet", "/etc"), "is not its directory"},
		"unit is another directory":     {entry("greet", "other"), "is not its directory"},
		"unit begins like the plugin":   {entry("greeter", "greet"), "is not its directory"},
		"plugin outside of the plugins": {entry("../greet", "../greet"), "is not its directory"},
	} {
		if _, err := parseLock([]byte(row.text)); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", name, err, row.want)
		}
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte(`{"version": 1, "plugins": {"a/b": {"unit": "a", "hash": "h", "files": {"main.go": "h"}}}}`))
	f.Add([]byte(`{"version": 2}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLock(text)
		if err != nil || l.Version > lockVersion {
			return
		}
		for dir, e := range l.Plugins {
			if root := t.TempDir(); !files.Within(filepath.Join(root, filepath.FromSlash(e.Unit)), filepath.Join(root, filepath.FromSlash(dir))) || e.Unit == "." {
				t.Errorf("unit %q of %q", e.Unit, dir)
			}
		}
	})
}
