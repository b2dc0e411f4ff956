//go:build unix

package native_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/native"
)

// find returns the toolchain of the machine.
func find(t *testing.T) native.Toolchain {
	t.Helper()
	tc, err := native.Find(os.Getenv("PATH"), nil)
	if err != nil {
		testneed.Missing(t, "go", err)
	}
	return tc
}

// plugin writes a plugin with the module "greeter" and returns its directory.
func plugin(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "greeter")
	all := map[string]string{"go.mod": "module greeter\n\ngo 1.25\n"}
	maps.Copy(all, files)
	for name, text := range all {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			if err := os.Symlink(target, at); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const plain = "package greeter\n\nfunc SystemPrompt() string { return \"hello\" }\n"

func TestState(t *testing.T) {
	t.Parallel()
	tc := find(t)
	for name, row := range map[string]struct{ source, want string }{
		"none":                 {plain, ""},
		"constants":            {"package greeter\n\nconst a = 1\n", ""},
		"error":                {"package greeter\n\nimport \"errors\"\n\nvar errNo = errors.New(\"no\")\n\nfunc f() error { return errNo }\n", ""},
		"table":                {"package greeter\n\nvar names = map[string]int{\"a\": 1}\n\nfunc f() int { return names[\"a\"] + len(names) }\n", ""},
		"function":             {"package greeter\n\nvar SystemPrompt = func() string { return \"\" }\n", ""},
		"counter":              {"package greeter\n\nvar n int\n\nfunc f() { n++ }\n", "variable n"},
		"counter with a value": {"package greeter\n\nvar n = 0\n\nfunc f() { n++ }\n", "variable n"},
		"table that is filled": {"package greeter\n\nvar seen = map[string]bool{}\n\nfunc f() { seen[\"a\"] = true }\n", "variable seen"},
		"table that is given":  {"package greeter\n\nvar seen = map[string]bool{}\n\nfunc f() { g(seen) }\n\nfunc g(m map[string]bool) { m[\"a\"] = true }\n", "variable seen"},
		"address":              {"package greeter\n\nvar n = 1\n\nfunc f() *int { return &n }\n", "variable n"},
		"mutex":                {"package greeter\n\nimport \"sync\"\n\nvar mu sync.Mutex\n", "variable mu"},
		"goroutine":            {"package greeter\n\nfunc init() { go func() {}() }\n", "goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := native.Read(plugin(t, map[string]string{"a.go": row.source}), tc, false)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.State(); (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	real := find(t)
	work := t.TempDir()
	elsewhere := t.TempDir()
	for at, target := range map[string]string{filepath.Join(work, "go"): "/bin/true", filepath.Join(elsewhere, "go"): filepath.Join(work, "go")} {
		if err := os.Symlink(target, at); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(work, "bin", "go")
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil { //nolint:gosec // it stands for a program
		t.Fatal(err)
	}
	good := filepath.Dir(real.Go)
	for name, row := range map[string]struct {
		path     string
		writable []string
		want     string
	}{
		"usual":                  {good, nil, real.Go},
		"working directory":      {filepath.Dir(program) + ":" + good, []string{work}, real.Go},
		"relative":               {"bin:.:" + good, []string{work}, real.Go},
		"nothing else":           {filepath.Dir(program), []string{work}, ""},
		"toolchain can be wrote": {good, []string{real.Root}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := native.Find(row.path, row.writable)
			if got.Go != row.want || (err == nil) != (row.want != "") {
				t.Errorf("got %q, %v, want %q", got.Go, err, row.want)
			}
		})
	}
}
