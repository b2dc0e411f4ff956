//go:build unix

package machinepolicy

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// at returns a place below a directory that belongs to the user of the test.
func at(t *testing.T) place {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "top", "aura")
	if err := os.MkdirAll(filepath.Join(dir, PartsName), 0o755); err != nil {
		t.Fatal(err)
	}
	return place{dir: dir, top: filepath.Dir(dir), trusted: ownOrAdministrators}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestRefusedPlaces checks that a policy that others can change is an error and not an absent policy.
func TestRefusedPlaces(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, row := range map[string]struct {
		change func(p *place, file string)
		want   string // "" for a policy that is read
	}{
		"as it should be":       {func(*place, string) {}, ""},
		"file of others":        {func(p *place, _ string) { p.trusted = notRoot }, "belongs to"},
		"writable by the group": {func(_ *place, file string) { must(os.Chmod(file, 0o664)) }, "writable by others"},
		"writable by all":       {func(_ *place, file string) { must(os.Chmod(file, 0o646)) }, "writable by others"},
		"directory":             {func(p *place, _ string) { must(os.Chmod(p.dir, 0o777)) }, "writable by others"},
		"directory above":       {func(p *place, _ string) { must(os.Chmod(p.top, 0o775)) }, "writable by others"},
		"directory of parts":    {func(p *place, _ string) { must(os.Chmod(filepath.Join(p.dir, PartsName), 0o777)) }, "writable by others"},
		"linked file": {func(_ *place, file string) {
			must(os.Rename(file, file+".real"))
			must(os.Symlink(file+".real", file))
		}, "link"},
		"link to nothing": {func(_ *place, file string) {
			must(os.Remove(file))
			must(os.Symlink("nowhere", file))
		}, "link"},
		"linked directory": {func(p *place, _ string) {
			must(os.Rename(p.dir, p.dir+".real"))
			must(os.Symlink(p.dir+".real", p.dir))
		}, "link"},
		"linked directory of parts": {func(p *place, _ string) {
			parts := filepath.Join(p.dir, PartsName)
			must(os.Rename(parts, parts+".real"))
			must(os.Symlink(parts+".real", parts))
		}, "link"},
		"a directory as the file": {func(_ *place, file string) {
			must(os.Remove(file))
			must(os.Mkdir(file, 0o755))
		}, "not a regular file"},
		"a file as the directory": {func(p *place, _ string) {
			must(os.RemoveAll(p.dir))
			write(t, p.dir, "")
		}, "not a directory"},
		"empty":       {func(_ *place, file string) { write(t, file, " \n") }, "is empty"},
		"unknown key": {func(_ *place, file string) { write(t, file, "sandbx: 1\n") }, "unknown key"},
		"not YAML":    {func(_ *place, file string) { write(t, file, "version: [\n") }, "policy.yaml:"},
		"another ending": {func(p *place, _ string) {
			write(t, filepath.Join(p.dir, PartsName, "more.yml"), "version: 0.0.1\n")
		}, "ends in .yaml"},
		"too large": {func(_ *place, file string) { write(t, file, "version: 0.0.1\n"+strings.Repeat("#\n", 1<<20)) }, "limit"},
	} {
		t.Run(name, func(t *testing.T) {
			p := at(t)
			file := filepath.Join(p.dir, FileName)
			write(t, file, "version: 0.0.1\n")
			row.change(&p, file)
			got, err := p.read()
			if row.want == "" {
				if err != nil || got.Empty() {
					t.Fatalf("%v, %v", got, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Fatalf("want an error with %q, got %v and %v", row.want, got, err)
			}
		})
	}
}

// notRoot trusts a user who does not exist.
func notRoot(path string, info fs.FileInfo) error { return writableOnlyBy(path, info, 1<<30) }

// TestUnreadable checks that a directory that this user may not read is an error.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	p := at(t)
	write(t, filepath.Join(p.dir, FileName), "version: 0.0.1\n")
	if err := os.Chmod(p.dir, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(p.dir, 0o755) }()
	if got, err := p.read(); (err == nil) != (os.Geteuid() == 0) { // root reads everything
		t.Fatalf("%v, %v", got, err)
	}
}

func TestNoPolicy(t *testing.T) {
	t.Parallel()
	p := at(t)
	for range 2 {
		if got, err := p.read(); err != nil || !got.Empty() || got.Hash() != "" {
			t.Fatalf("%v, %v", got, err)
		}
		if err := os.RemoveAll(p.dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSystemPlace checks that a program for users reads the policy of the system, and trusts root alone.
func TestSystemPlace(t *testing.T) {
	t.Parallel()
	p := thisMachine()
	if testPlace != "" || p.top != "/" || p.dir != systemDir() {
		t.Fatalf("%q, %+v", testPlace, p)
	}
	own := t.TempDir()
	info, err := os.Stat(own)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.trusted(own, info); (err == nil) != (os.Geteuid() == 0) {
		t.Fatal(err)
	}
}
