//go:build unix

package e2e

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestEvents runs one script per outcome of a plugin call, and others on events of plugins. A script begins with a copy of
// testdata/base; its own plugins need no more than a main.go.
func TestEvents(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/events",
		Setup: func(env *testscript.Env) error {
			if err := completePlugins(filepath.Join(env.WorkDir, ".aura/plugins")); err != nil {
				return err
			}
			return setup(env)
		},
		Cmds:                commands,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
