//go:build unix

package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/testneed"
)

func init() {
	preparations["native"] = preparation{begin: func(t *testing.T, _ string) testscript.Params {
		t.Helper()
		testneed.Program(t, "go")
		return testscript.Params{Setup: setupNative}
	}}
}

// TestExamplesCompiled runs the scripts of the example plugins again with the plugins compiled. The outputs must be those of the interpreter.
func TestExamplesCompiled(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "go")
	plugins, err := filepath.Glob(filepath.Join(repo(), ".aura/plugins/*/*/plugin.yaml"))
	if err != nil || len(plugins) == 0 {
		t.Fatalf("%d plugins found, %v", len(plugins), err)
	}
	var scripts []string
	for _, manifest := range plugins {
		scripts = append(scripts, filepath.Join(pagesDir, "plugins", filepath.Base(filepath.Dir(manifest))+".txtar"))
	}
	own := maps.Clone(commands)
	own["example"] = copyCompiled
	testscript.Run(t, testscript.Params{
		Files: scripts, Cmds: own, RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) { return condition("", name) },
		Setup: func(env *testscript.Env) error {
			if err := setupExample(env); err != nil {
				return err
			}
			return permitNative(env)
		},
	})
}

// copyCompiled copies an example plugin that is only run compiled, and compiles it, so that no notice about the build is part of the script.
func copyCompiled(ts *testscript.TestScript, neg bool, args []string) {
	copyExample(ts, neg, args)
	manifest := ts.MkAbs(".aura/plugins/" + args[0] + "/plugin.yaml")
	ts.Check(os.WriteFile(manifest, []byte(ts.ReadFile(manifest)+"runtime: native\n"), 0o600))
	ts.Check(ts.Exec("aura", "plugins", "show", args[0], "--json"))
	if out := ts.ReadFile("stdout"); !strings.Contains(out, `"runtime": "native"`) {
		ts.Fatalf("%s does not run compiled:\n%s", args[0], out)
	}
}

// setupNative is setup with compiled plugins permitted.
func setupNative(env *testscript.Env) error {
	if err := setup(env); err != nil {
		return err
	}
	return permitNative(env)
}

// permitNative permits compiled plugins in the user's home. Their builds use the cache of the Go command that runs the tests, because the
// standard library takes long to compile.
func permitNative(env *testscript.Env) error {
	features := filepath.Join(env.Getenv("HOME"), ".aura/config/features")
	if err := os.MkdirAll(features, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(features, "native.yaml"), []byte("plugins: {native: true}\n"), 0o600); err != nil {
		return err
	}
	cache := filepath.Join(env.Getenv("XDG_STATE_HOME"), "aura/cache/native")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	from, err := goCache()
	if err != nil {
		return err
	}
	return os.Symlink(from, filepath.Join(cache, "gocache"))
}

// goCache returns the build cache of the Go command.
var goCache = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out)), err
})
