//go:build unix

package scripts

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	preparations["plugins"] = preparation{begin: func(*testing.T, string) testscript.Params { return testscript.Params{Setup: setupPlugins} }}
}

// setupPlugins is setup for a script whose plugins have only a main.go.
func setupPlugins(env *testscript.Env) error {
	if err := completePlugins(filepath.Join(env.WorkDir, ".aura/plugins")); err != nil {
		return err
	}
	return harness.Setup(env)
}
