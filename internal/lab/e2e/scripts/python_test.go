//go:build linux

package scripts

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/python"
)

func init() {
	preparations["python"] = preparation{begin: beginPython}
	preparations["pip"] = preparation{begin: func(t *testing.T, variant string) testscript.Params {
		t.Helper()
		testneed.Program(t, "pip")
		return beginPython(t, variant)
	}}
}

// beginPython is for scripts that run Python extensions. $PYTHON is the interpreter that aura finds.
func beginPython(t *testing.T, _ string) testscript.Params {
	t.Helper()
	testneed.Program(t, "python")
	return testscript.Params{Setup: func(env *testscript.Env) error {
		if err := harness.Setup(env); err != nil {
			return err
		}
		i, err := python.Find(python.Environment{Environ: env.Vars, Writable: []string{filepath.Dir(env.WorkDir)}})
		env.Setenv("PYTHON", i.Program)
		return err
	}}
}
