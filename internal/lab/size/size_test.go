package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPackageOf(t *testing.T) {
	t.Parallel()
	for symbol, want := range map[string]string{
		"fmt.Println":      "fmt",
		"github.com/a/b.F": "github.com/a/b", "github.com/a/b.(*T).M.func1": "github.com/a/b", "github.com/a/b.init.0": "github.com/a/b",
		"gopkg.in/yaml%2ev3.Marshal":                   "gopkg.in/yaml.v3",
		"slices.SortFunc[go.shape.[]github.com/a/b.T]": "slices",
		"go:itab.*github.com/a/b.T,io.Reader":          "github.com/a/b",
		"type:.eq.github.com/a/b.T":                    "github.com/a/b",
		"vendor/golang.org/x/net/idna.Table":           "vendor/golang.org/x/net/idna",
		"main.main":                                    "main",
		"go:string.*":                                  "", "type:*": "", "_rt0_amd64_linux": "", "": "",
	} {
		if got := packageOf(symbol); got != want {
			t.Errorf("%s: got %q, want %q", symbol, got, want)
		}
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	modules := []string{"github.com/me/mine", "github.com/a/b", "github.com/a/b/v2", "gopkg.in/yaml.v3"}
	for path, want := range map[string]string{
		"main": "github.com/me/mine", "github.com/me/mine/internal/x": "github.com/me/mine",
		"github.com/a/b/c": "github.com/a/b", "github.com/a/b/v2/c": "github.com/a/b/v2", "gopkg.in/yaml.v3": "gopkg.in/yaml.v3",
		"github.com/a/bc": "github.com/a/bc", "net/http": standard, "vendor/golang.org/x/net/idna": standard, "": "",
	} {
		if got := owner(path, modules); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestSum(t *testing.T) {
	t.Parallel()
	got := sum(map[string]*weight{"a": {code: 100}, "b": {code: 300, data: 50}}, 800, 2000)
	if len(got.modules) != 2 || got.modules[0] != (module{"b", weight{300, 50, 600}}) || got.modules[1] != (module{"a", weight{100, 0, 200}}) || got.rest != 750 {
		t.Errorf("got %+v", got)
	}
}

// TestLimits weighs small programs that stand for the real ones, and one that is padded above its limit.
func TestLimits(t *testing.T) {
	t.Parallel()
	symbols, stripped := t.TempDir(), t.TempDir()
	source := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(1) }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, l := range limits {
		for dir, flags := range map[string]string{symbols: "-w", stripped: "-s -w"} {
			build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags", flags, "-o", filepath.Join(dir, l.program), source)
			build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
			if text, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	}
	var out strings.Builder
	if err := run(&out, stripped, symbols, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"aura: ", " MB of at most 63.00 MB", standard, "aura-plugin-host: ", "at most 30.00 MB"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
	if err := os.Truncate(filepath.Join(stripped, "aura-plugin-host"), 30_000_001); err != nil {
		t.Fatal(err)
	}
	err := run(&out, stripped, symbols, 0)
	if err == nil || !strings.Contains(err.Error(), "aura-plugin-host has 30.00 MB stripped, more than its limit of 30.00 MB") || strings.Contains(err.Error(), "aura has") {
		t.Errorf("got %v", err)
	}
}
