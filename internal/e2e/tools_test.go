//go:build unix

package e2e

import (
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/sandbox"
)

// TestTools runs the scripts on aura tools. Steps that need a kernel that can confine begin with [sandbox].
func TestTools(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/tools",
		Setup: setup,
		Cmds:  commands,
		Condition: func(cond string) (bool, error) {
			if cond != "sandbox" {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return sandbox.Support().Enabled, nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
