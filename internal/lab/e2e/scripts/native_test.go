//go:build unix

package scripts

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func init() {
	preparations["native"] = preparation{begin: func(t *testing.T, _ string) testscript.Params {
		t.Helper()
		testneed.Program(t, "go")
		return testscript.Params{Setup: setupNative}
	}}
}

// setupNative is setup with compiled plugins permitted.
func setupNative(env *testscript.Env) error {
	if err := harness.Setup(env); err != nil {
		return err
	}
	// A build goes on when the session has ended.
	env.Defer(func() {
		ended := polled(func() bool {
			left := harness.Strays(env.Getenv("XDG_STATE_HOME"))
			for _, pid := range left {
				_ = syscall.Kill(pid, syscall.SIGTERM) // it may have ended
			}
			return len(left) == 0
		})
		if !ended {
			panic("a process that compiles plugins does not end")
		}
	})
	return permitNative(env)
}

// permitNative permits compiled plugins in the user's home.
func permitNative(env *testscript.Env) error {
	features := filepath.Join(env.Getenv("HOME"), ".aura/config/features")
	if err := os.MkdirAll(features, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(features, "native.yaml"), []byte("plugins: {native: true}\n"), 0o600); err != nil {
		return err
	}
	return shareGoCache(env)
}

// shareGoCache lets builds of plugins use the cache of the Go command that runs the tests, because the standard library takes long to compile.
func shareGoCache(env *testscript.Env) error {
	cache := filepath.Join(env.Getenv("XDG_STATE_HOME"), "aura/cache/native")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	from, err := goCache()
	if err != nil {
		return err
	}
	if err := os.Symlink(from, filepath.Join(cache, "gocache")); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// goCache returns the build cache of the Go command.
var goCache = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	return strings.TrimSpace(string(out)), err
})
