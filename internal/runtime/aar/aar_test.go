package aar_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/aar"
)

// TestAuthors runs tests in the style of extension authors, against the modules alone.
func TestAuthors(t *testing.T) {
	t.Parallel()
	python := testneed.Program(t, "python")
	path, err := aar.PythonPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tests, err := filepath.Glob("testdata/authors/test_*.py")
	if err != nil || len(tests) == 0 {
		t.Fatalf("there are no tests: %v", err)
	}
	for _, file := range tests {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(python, "-B", "-W", "error", "-m", "unittest", file)
			cmd.Env = append(os.Environ(), "PYTHONPATH="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestPythonPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, err := aar.PythonPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(path, "agent", "extensions", "api.py")
	want, err := os.ReadFile(module)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(module)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := aar.PythonPath(dir); err != nil || again != path {
		t.Fatalf("the second time: %q, %v, want %q", again, err, path)
	}
	if after, err := os.Stat(module); err != nil || !os.SameFile(before, after) {
		t.Errorf("a module that is as it should be was written again: %v", err)
	}

	// A changed module is restored, and a link is replaced instead of followed.
	elsewhere := filepath.Join(dir, "elsewhere.py")
	for _, spoil := range []func() error{
		func() error { return os.WriteFile(module, []byte("import os\n"), 0o600) },
		func() error { return os.Remove(module) },
		func() error {
			if err := os.Rename(module, elsewhere); err != nil {
				return err
			}
			return os.Symlink(elsewhere, module)
		},
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := aar.PythonPath(dir); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(module); err != nil || string(got) != string(want) {
			t.Errorf("the module is not what it was: %v", err)
		}
	}
	if info, err := os.Lstat(module); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the module is still a link: %v", err)
	}
}

func TestPythonPathFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if path, err := aar.PythonPath(file); err == nil {
		t.Errorf("modules were written below a file: %s", path)
	}
}
