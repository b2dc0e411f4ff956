package testcache_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testcache"
)

// opens is the variable that makes TestDependOnSources a test that depends on the sources.
const opens = "AURA_TEST_OPENS_SOURCES"

// TestDependOnSources runs itself with the flag by which go test learns what a test opens, and looks at the list.
func TestDependOnSources(t *testing.T) {
	t.Parallel()
	if os.Getenv(opens) != "" {
		if err := testcache.DependOnSources(); err != nil {
			t.Fatal(err)
		}
		return
	}
	list := filepath.Join(t.TempDir(), "list")
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDependOnSources$", "-test.testlogfile="+list)
	cmd.Env = append(os.Environ(), opens+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	// A directory is in the list, so that a new file in it is seen. The root is not: Git and the Makefile change what is in it.
	for path, want := range map[string]bool{
		"go.mod": true, "cmd/aura/main.go": true, "cmd/aura": true, "sdk/go.mod": true, "internal/agent/tokens/cl100k.tokens": true,
		"": false, "bin": false, ".git": false, "internal/lab/testcache/testcache_test.go": false,
	} {
		line := "open " + filepath.Join(root, filepath.FromSlash(path)) + "\n"
		if strings.Contains(string(text), line) != want {
			t.Errorf("%q in the list: %t, want %t", path, !want, want)
		}
	}
}
