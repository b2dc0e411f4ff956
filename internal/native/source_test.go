//go:build unix

package native_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/native"
	"github.com/idelchi/aura/internal/testneed"
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

func TestRefused(t *testing.T) {
	t.Parallel()
	tc := find(t)
	outside := filepath.Join(t.TempDir(), "outside.go")
	if err := os.WriteFile(outside, []byte("package greeter\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		files map[string]string
		want  string
	}{
		"cgo":                  {map[string]string{"a.go": "package greeter\n\nimport \"C\"\n"}, `a.go:3: import "C" is not possible`},
		"assembly":             {map[string]string{"a.go": plain, "add_amd64.s": "// asm\n", "add_arm64.s": "// asm\n"}, ".s:1: assembly, C and object files are not compiled"},
		"assembly, vendored":   {map[string]string{"a.go": "package greeter\n\nimport _ \"example.com/x\"\n", "vendor/example.com/x/x.go": "package x\n", "vendor/example.com/x/x.s": "//\n"}, "x.s:1: assembly"},
		"object file":          {map[string]string{"a.go": plain, "evil.syso": "\x7fELF"}, "evil.syso:1: assembly, C and object files"},
		"linkname":             {map[string]string{"a.go": "package greeter\n\n//go:linkname now time.now\nfunc now()\n"}, "a.go:3: //go:linkname is refused"},
		"embed":                {map[string]string{"a.go": "package greeter\n\nimport _ \"embed\"\n\n//go:embed go.mod\nvar text string\n"}, "a.go:5: //go:embed is refused: only Go source"},
		"unsafe":               {map[string]string{"a.go": "package greeter\n\nimport _ \"unsafe\"\n"}, `a.go:3: importing "unsafe": plugins may not use this package in safe mode`},
		"os/exec":              {map[string]string{"a.go": "package greeter\n\nimport _ \"os/exec\"\n"}, `a.go:3: importing "os/exec": plugins may not use`},
		"syscall, vendored":    {map[string]string{"a.go": "package greeter\n\nimport _ \"example.com/x\"\n", "vendor/example.com/x/x.go": "package x\n\nimport _ \"syscall\"\n"}, `x.go:3: importing "syscall": plugins may not use`},
		"internal library":     {map[string]string{"a.go": "package greeter\n\nimport _ \"internal/abi\"\n"}, `a.go:3: importing "internal/abi": not in the standard library`},
		"aura itself":          {map[string]string{"a.go": "package greeter\n\nimport _ \"github.com/idelchi/aura/internal/native/link\"\n"}, "aura's own packages are not available"},
		"file that is a link":  {map[string]string{"a.go": plain, "b.go": "-> " + outside}, "b.go:1: it is a link, and links are not part of a plugin; copy the file"},
		"package that is one":  {map[string]string{"a.go": "package greeter\n\nimport _ \"greeter/sub\"\n", "sub": "-> " + filepath.Dir(outside)}, "sub is a link, which is not part of a plugin"},
		"replace out of it":    {map[string]string{"go.mod": "module greeter\n\nrequire example.com/x v1.0.0\n\nreplace example.com/x => ../../x\n", "a.go": "package greeter\n\nimport _ \"example.com/x\"\n"}, `a.go:3: importing "example.com/x": not in the standard library of this Go toolchain and not vendored`},
		"other package":        {map[string]string{"a.go": "package other\n"}, "a.go:1: package is other, but the module path in go.mod asks for package greeter"},
		"syntax":               {map[string]string{"a.go": "package greeter\n\nfunc {\n"}, "a.go:3:"},
		"name of the library":  {map[string]string{"go.mod": "module fmt\n", "a.go": "package fmt\n"}, "has the name of a standard library package"},
		"module of aura":       {map[string]string{"go.mod": "module github.com/idelchi/aura/internal/native/shim\n", "a.go": "package shim\n"}, "is located in aura's own module"},
		"package main":         {map[string]string{"go.mod": "module main\n", "a.go": "package main\n"}, "cannot be package main"},
		"hidden package":       {map[string]string{"a.go": "package greeter\n\nimport _ \"greeter/.x\"\n", ".x/x.go": "package x\n"}, "hidden directories are not part of a plugin"},
		"packages in a circle": {map[string]string{"a.go": "package greeter\n\nimport _ \"greeter/a\"\n", "a/a.go": "package a\n\nimport _ \"greeter/b\"\n", "b/b.go": "package b\n\nimport _ \"greeter/a\"\n"}, "import each other in a cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := native.Read(plugin(t, row.files), tc, false)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	tc := find(t)
	for name, row := range map[string]struct {
		files  map[string]string
		unsafe bool
	}{
		"plain":              {map[string]string{"a.go": plain}, false},
		"generate":           {map[string]string{"a.go": "package greeter\n\n//go:generate false\n\nfunc SystemPrompt() string { return \"\" }\n"}, false},
		"toolchain line":     {map[string]string{"go.mod": "module greeter\n\ngo 1.25\n\ntoolchain go9.9.9\n", "a.go": plain}, false},
		"unsafe, granted":    {map[string]string{"a.go": "package greeter\n\nimport _ \"unsafe\"\n"}, true},
		"for other systems":  {map[string]string{"a.go": plain, "a_plan9.s": "//\n", "b_plan9.go": "package other\n"}, false},
		"with tests":         {map[string]string{"a.go": plain, "a_test.go": "package greeter_test\n"}, false},
		"newer than yaegi's": {map[string]string{"a.go": "package greeter\n\nimport _ \"maps\"\n\nimport _ \"iter\"\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := native.Read(plugin(t, row.files), tc, row.unsafe); err != nil {
				t.Error(err)
			}
		})
	}
}

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
