//go:build unix

package python_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/python"
)

// answering returns a program that answers like the interpreter at path, and counts how often it is started.
func answering(version, path string) string {
	return `#!/bin/sh
echo x >>"$(dirname "$0")/started"
echo '{"program":"` + path + `","version":[` + version + `],"prefixes":["/p"],"library":"/p/lib","path":[]}'
`
}

// place is a directory with a program named python3 in bin.
type place struct {
	dir string
	env python.Environment
}

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{dir: tree(t, map[string]string{"bin/x": "", "real/python3": "", "work/x": "", "cache/x": ""})}
	p.program(t, "")
	p.env = python.Environment{
		Environ:  []string{"PATH=relative:" + filepath.Join(p.dir, "bin") + ":/usr/bin:/bin", "HOME=" + p.dir, "PYTHONSTARTUP=x"},
		Writable: []string{filepath.Join(p.dir, "work")}, Cache: filepath.Join(p.dir, "cache"),
	}
	return p
}

// program writes python3 in bin. No process starts meanwhile, because it would inherit the open file, and the program could not be
// started.
func (p place) program(t *testing.T, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(filepath.Join(p.dir, "bin/python3"), []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}

func (p place) started(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "bin/started"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "x")
}

// TestFind has a row for each reason why an interpreter is used or not.
func TestFind(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		program string
		change  func(t *testing.T, p *place)
		want    string
	}{
		"new enough": {answering("3,11,0", "DIR/real/python3"), nil, ""},
		"newer":      {answering("4,0,0", "DIR/real/python3"), nil, ""},
		"too old":    {answering("3,10,9", "DIR/real/python3"), nil, "is Python 3.10.9, and extensions need 3.11 or newer"},
		"fails":      {"#!/bin/sh\necho cannot >&2\nexit 3\n", nil, "does not run: exit status 3: cannot"},
		"no answer":  {"#!/bin/sh\necho Python 3.12\n", nil, "does not answer like Python"},
		"relative":   {answering("3,12,0", "python3"), nil, "does not answer like Python"},
		"not there":  {"", func(_ *testing.T, p *place) { p.env.Environ = []string{"PATH=" + p.dir} }, "there is no python3 in PATH"},
		"no PATH":    {"", func(_ *testing.T, p *place) { p.env.Environ = nil }, "there is no python3 in PATH"},
		"in the way": {"", func(_ *testing.T, p *place) {
			p.env.Environ = []string{"PATH=" + filepath.Join(p.dir, "bin")}
			p.env.Writable = []string{p.dir}
		}, "which tools can change"},
		"leads astray":  {answering("3,12,0", "DIR/work/python3"), leadAstray, "work/python3, which tools can change"},
		"leads nowhere": {answering("3,12,0", "DIR/gone/python3"), nil, "which tools can change"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.program(t, strings.ReplaceAll(row.program, "DIR", p.dir))
			if row.change != nil {
				row.change(t, &p)
			}
			i, err := python.Find(p.env)
			switch {
			case row.want == "" && (err != nil || i.Program != filepath.Join(p.dir, "real/python3")):
				t.Errorf("got %+v, %v", i, err)
			case row.want != "":
				if _, typed := errors.AsType[*python.UnavailableError](err); !typed || !strings.Contains(err.Error(), row.want) {
					t.Errorf("got %v, want %q", err, row.want)
				}
			}
		})
	}
}

func leadAstray(t *testing.T, p *place) {
	t.Helper()
	testneed.Link(t, "../real/python3", filepath.Join(p.dir, "work/python3"))
}

// TestFindAsksOnce checks that an interpreter is asked again only if something changed.
func TestFindAsksOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	write := func(version string, at time.Time) {
		t.Helper()
		file := filepath.Join(p.dir, "bin/python3")
		p.program(t, answering(version, filepath.Join(p.dir, "real/python3")))
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	find := func(version string, started int) {
		t.Helper()
		// Another process finds only what is in the cache.
		python.Forget()
		i, err := python.Find(p.env)
		if err != nil || i.Version.String() != version || p.started(t) != started {
			t.Errorf("got %s, %v, started %d times, want %s and %d", i.Version, err, p.started(t), version, started)
		}
	}
	p.env.OnlyCached = true
	if _, err := python.Find(p.env); err == nil || !strings.Contains(err.Error(), "was not asked") || p.started(t) != 0 {
		t.Errorf("nothing is cached: got %v, started %d times", err, p.started(t))
	}
	p.env.OnlyCached = false
	day := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC)
	write("3,12,0", day)
	find("3.12.0", 1)
	find("3.12.0", 1)
	write("3,12,1", day.Add(time.Hour))
	find("3.12.1", 2)
	// The interpreter behind the program changes.
	if err := os.Chtimes(filepath.Join(p.dir, "real/python3"), day, day); err != nil {
		t.Fatal(err)
	}
	find("3.12.1", 3)
	// The user chooses another version.
	if err := os.WriteFile(filepath.Join(p.dir, ".tool-versions"), []byte("python 3.13"), 0o600); err != nil {
		t.Fatal(err)
	}
	find("3.12.1", 4)
	p.env.OnlyCached = true
	find("3.12.1", 4)
}

// TestRealInterpreter asks the interpreter of this machine, also in a virtual environment.
func TestRealInterpreter(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "python")
	env := python.Environment{Environ: os.Environ(), Cache: t.TempDir()}
	i, err := python.Find(env)
	if err != nil {
		testneed.Missing(t, "python", err)
	}
	readable := i.Readable("")
	for _, path := range append([]string{i.Program, i.Library}, i.Prefixes...) {
		if !filepath.IsAbs(path) || !slices.Contains(readable, path) {
			t.Errorf("%s cannot be read: %q", path, readable)
		}
	}
	dir := filepath.Join(t.TempDir(), "venv")
	if out, err := exec.Command(i.Program, "-I", "-m", "venv", "--without-pip", dir).CombinedOutput(); err != nil { //nolint:gosec // a test
		testneed.Missing(t, "python", string(out))
	}
	sites, err := filepath.Glob(filepath.Join(dir, "lib/python3*/site-packages"))
	if err != nil || len(sites) != 1 {
		t.Fatalf("got %q, %v", sites, err)
	}
	for name, text := range map[string]string{
		"mine/__init__.py":                         "raise SystemExit('imported')",
		"mine_dist-1.0.dist-info/METADATA":         "Metadata-Version: 2.1\nName: mine-dist\nVersion: 1.0\n",
		"mine_dist-1.0.dist-info/entry_points.txt": "[aar_extensions]\nhello = mine.main:register\nlost = nowhere:register\n",
	} {
		path := filepath.Join(sites[0], name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	// A package that is developed elsewhere is found by a path file.
	project := tree(t, map[string]string{
		"planted.py": "", "sitecustomize.py": "import os\nopen(os.path.dirname(__file__) + '/ran', 'w')", "planted.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: planted\nVersion: 1\n",
		"planted.egg-info/entry_points.txt": "[aar_extensions]\nplanted = planted:register\n",
	})
	if err := os.WriteFile(filepath.Join(sites[0], "project.pth"), []byte(project+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env.Environ = []string{"PATH=" + filepath.Join(dir, "bin")}
	if open, err := python.Find(env); err != nil || len(open.Extensions) != 3 {
		t.Errorf("got %+v, %v", open.Extensions, err)
	}
	env.Writable = []string{project}
	if _, err := python.Find(env); err == nil || !strings.Contains(err.Error(), "imports modules from "+project+", which tools can change") {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(filepath.Join(sites[0], "project.pth")); err != nil {
		t.Fatal(err)
	}
	inside, err := python.Find(env)
	if err != nil || inside.Version != i.Version || !strings.HasPrefix(inside.Program, dir) || len(inside.Prefixes) < 2 {
		t.Fatalf("got %+v, %v", inside, err)
	}
	if _, err := os.Stat(filepath.Join(project, "ran")); err == nil {
		t.Error("a module of the project ran")
	}
	found := python.Installed(inside)
	if len(found) != 2 || found[0].Name != "hello" || found[0].Dir != filepath.Join(sites[0], "mine") || found[0].Entry != "mine.main:register" || found[0].Err != nil {
		t.Errorf("got %+v", found)
	} else if found[1].Err == nil || !strings.Contains(found[1].Err.Error(), "does not find the module") {
		t.Errorf("got %+v", found[1])
	}
}

// TestReadable checks that the home directory is never readable as a whole.
func TestReadable(t *testing.T) {
	t.Parallel()
	i := python.Interpreter{Program: "/h/me/bin/python3", Prefixes: []string{"/h/me", "/"}, Library: "/h/me/lib/python3.12", Path: []string{"/h", "/h/me/lib/python3.12/site-packages"}}
	want := []string{"/h/me/bin/python3", "/h/me/lib/python3.12", "/h/me/lib/python3.12/site-packages"}
	if got := i.Readable("/h/me"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
