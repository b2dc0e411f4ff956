package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/sdk/version"
)

// TestVendorSDK puts the SDK beside plugins, and lets the Go command check them without a network.
func TestVendorSDK(t *testing.T) {
	t.Parallel()
	const source = "package hello\n\nimport \"github.com/idelchi/aura/sdk\"\n\nvar _ sdk.Context\n"
	for name, files := range map[string]map[string]string{
		"no go.mod":      {"hello.go": source},
		"no requirement": {"hello.go": source, "go.mod": "module hello\n\ngo 1.25\n"},
		"an older SDK": {
			"hello.go": source, "go.mod": "module hello\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.1.0\n",
			"vendor/modules.txt":                        "# github.com/idelchi/aura/sdk v0.1.0\n## explicit; go 1.24\ngithub.com/idelchi/aura/sdk\n",
			"vendor/github.com/idelchi/aura/sdk/old.go": "package sdk\n\nvar gone broken\n",
		},
		"a replacement": {
			"hello.go": source, "go.mod": "module hello\n\ngo 1.25\n\nrequire github.com/idelchi/aura/sdk v0.1.0\n\nreplace github.com/idelchi/aura/sdk => ../nowhere\n",
		},
		"another module": {
			"hello.go": source + "\nvar _ = other.X\n", "go.mod": "module hello\n\ngo 1.25\n\nrequire example.com/other v1.0.0\n",
			"vendor/modules.txt":                "# example.com/other v1.0.0\n## explicit\nexample.com/other\n",
			"vendor/example.com/other/other.go": "package other\n\nvar X = 1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "hello")
			for file, text := range files {
				if name == "another module" && file == "hello.go" {
					text = strings.Replace(text, "import ", "import \"example.com/other\"\nimport ", 1)
				}
				path := filepath.Join(dir, filepath.FromSlash(file))
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for range 2 { // a second time changes nothing
				if err := VendorSDK(t.Context(), dir, Options{}); err != nil {
					t.Fatal(err)
				}
			}
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err != nil || !strings.Contains(string(mod), sdkPath+" v"+version.Version) || strings.Contains(string(mod), "replace") {
				t.Errorf("go.mod is\n%s (%v)", mod, err)
			}
			vet := exec.Command(testneed.Program(t, "go"), "vet", "./...")
			vet.Dir, vet.Env = dir, append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
			if out, err := vet.CombinedOutput(); err != nil {
				t.Errorf("go vet: %v\n%s", err, out)
			}
		})
	}
}

// TestVendorSDKStaysInside checks that no link leads the SDK out of the plugin.
func TestVendorSDKStaysInside(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	testneed.Link(t, outside, filepath.Join(dir, "vendor"))
	if err := VendorSDK(t.Context(), dir, Options{}); err == nil {
		t.Error("a link that leads out of the plugin is followed")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v was written, %v", left, err)
	}
}
