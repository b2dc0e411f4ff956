package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/system/network"
	"github.com/idelchi/aura/sdk/version"
)

func TestCheckRequired(t *testing.T) {
	t.Parallel()

	for v, ok := range map[string]bool{
		"v0.0.0": true, "v0.0.0-20240102030405-0123456789ab": true, "v" + version.Version: true, "v0.99.0": false, "v1.0.0": version.Version == "1.0.0",
		"v0.99.1-0.20240102030405-0123456789ab": false,
	} {
		if err := checkRequired(v); (err == nil) != ok {
			t.Errorf("%s: got %v", v, err)
		}
	}
}

// TestVendorOffline checks that vendoring needs no network for a plugin that imports only the SDK, regardless of what its
// go.mod says about the SDK, and that it leaves no trace of the SDK's directory.
func TestVendorOffline(t *testing.T) {
	t.Parallel()

	path := testneed.Program(t, "go")
	tests := map[string]string{
		"not mentioned":  "module greet\n\ngo 1.25\n",
		"zeros":          "module greet\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.0.0\n",
		"replaced":       "module greet\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.0.0\n\nreplace github.com/idelchi/aura/sdk => ../nowhere\n",
		"replaced twice": "module greet\n\ngo 1.25\n\nreplace github.com/idelchi/aura/sdk v0.0.0 => ../nowhere\n\nreplace github.com/idelchi/aura/sdk => ../other\n",
		"neighbour":      "module greet\n\ngo 1.25\n\nrequire example.com/near v0.0.0\n\nreplace example.com/near => ./near\n",
	}
	for name, mod := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "greet")
			main := "package greet\n\nimport _ \"github.com/idelchi/aura/sdk\"\n"
			if name == "neighbour" {
				main += "import _ \"example.com/near\"\n"
				write(t, dir, map[string]string{"near/go.mod": "module example.com/near\n\ngo 1.25\n", "near/n.go": "package near\n"})
			}
			write(t, dir, map[string]string{
				"plugin.yaml": "", "main.go": main, "go.mod": mod, "go.sum": "github.com/idelchi/aura/sdk v0.0.0 h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n",
			})
			p := newPlace(t)
			o := options()
			o.NoVendor = false
			o.Environ = []string{
				"PATH=" + filepath.Dir(path), "HOME=" + t.TempDir(), "GOPROXY=off", "GOFLAGS=-mod=vendor", "GOCACHE=" + t.TempDir(),
				"GIT_TOKEN=x", "GOTOOLCHAIN=local",
			}
			added, err := Add(t.Context(), p, Request{Source: dir}, o)
			if err != nil {
				t.Fatal(err)
			}
			v, ok, err := manifest.VendoredSDK(added.Dir)
			if v != version.Version || !ok || err != nil {
				t.Errorf("got %s, %t, %v", v, ok, err)
			}
			for _, file := range []string{"go.mod", "vendor/modules.txt"} {
				text, err := os.ReadFile(filepath.Join(added.Dir, filepath.FromSlash(file)))
				if err != nil || strings.Contains(string(text), stagePrefix) || !strings.Contains(string(text), "aura/sdk v"+version.Version) {
					t.Errorf("%s: %v\n%s", file, err, text)
				}
			}
			// The Go command reports no inconsistency.
			cmd := exec.Command(path, "list", "-mod=vendor", "./...")
			cmd.Dir = added.Dir
			cmd.Env = append(o.environ("GOFLAGS"), "GOFLAGS=", "GOWORK=off")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()

	warning, fault := Finding{File: "main.go", Line: 3, Message: "odd"}, Finding{Message: "wrong"}
	for _, tt := range []struct {
		name     string
		faults   []Finding
		force    bool
		want     string
		warnings int
	}{
		{"warnings are told", nil, false, "", 1},
		{"errors stop it", []Finding{fault}, false, "the check found errors:\nwrong\n--force installs it anyway", 0},
		{"force turns errors into warnings", []Finding{fault}, true, "", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "greet")
			write(t, dir, sound())
			p := newPlace(t)
			o := options()
			o.Force = tt.force
			o.Check = func(string) ([]Finding, []Finding) { return []Finding{warning}, tt.faults }
			added, err := Add(t.Context(), p, Request{Source: dir}, o)
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("got %v", err)
				}
				empty(t, p)
				return
			}
			if err != nil || len(added.Warnings) != tt.warnings || added.Warnings[0].String() != "main.go:3: odd" {
				t.Errorf("got %+v, %v", added, err)
			}
		})
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	write(t, dir, map[string]string{
		"plugin.yaml": "env: [B, A]\n", "go.mod": "module x\n",
		"a.go":            "package x\nimport (\"os/exec\"; \"github.com/idelchi/aura/sdk\")\nfunc BeforeChat() {}\nvar _ = sdk.ToolSchema{\"First\", \"\"}\n",
		"b.go":            "package x\nconst name = `Second`\nfunc OnError() {}\nfunc Schema() sdk.ToolSchema { s := sdk.ToolSchema{Description: \"Not\", Name: name}; return s }\n",
		"e.go":            "package x\nvar _ = sdk.ToolSchema{Name: third}\nconst third = string(\"Th\" + (ird))\nconst ird = \"ird\"\n",
		"f.go":            "package x\nconst c0 = `" + strings.Repeat("c", 600) + "`\nconst c1 = c0 + c0\nvar _ = sdk.ToolSchema{Name: c1}\n",
		"c_test.go":       "package x\nfunc AfterResponse() {}\nvar _ = sdk.ToolSchema{Name: \"Test\"}\n",
		"vendor/v/v.go":   "package v\nimport \"unsafe\"\n",
		"h.go":            "package x\nfunc Command() sdk.CommandSchema { var s sdk.CommandSchema; s.Name = \"one\"; return s }\nvar _ = []sdk.Command{{CommandSchema: sdk.CommandSchema{Name: `two`}}}\n",
		"d.go":            "package x\ntype T struct{}\nfunc (T) AfterCompaction() {}\n",
		"vendor/v/w.go":   "package v\nimport \"syscall\"\n",
		"vendor/v/w2.txt": "",
	})
	found, err := manifest.Discover(dir)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	got := factsOf(found[0])
	want := Facts{
		Name: found[0].Name, Env: []string{"A", "B"}, Hooks: []string{"BeforeChat", "OnError"}, Tools: []string{"First", "Second", "Third"}, Commands: []string{"/one", "/two"}, Packages: []string{},
		Unsafe: []string{"os/exec", "syscall", "unsafe"},
		Asks:   manifest.Asks{Env: []string{"A", "B"}, Unsafe: []string{"os/exec", "syscall", "unsafe"}, Network: true, Hosts: []network.Pattern{}, Commands: []string{}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	more, any := gained(Facts{Env: []string{"A"}, Hooks: []string{"OnError", "BeforeChat"}, Tools: want.Tools, Unsafe: want.Unsafe}, got)
	if !any || !reflect.DeepEqual(more.Env, []string{"B"}) || len(more.Hooks)+len(more.Tools)+len(more.Unsafe) > 0 {
		t.Errorf("got %+v, %t", more, any)
	}
	if _, any := gained(got, got); any {
		t.Error("a plugin gained something from itself")
	}
}
