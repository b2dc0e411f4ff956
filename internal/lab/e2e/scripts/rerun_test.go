//go:build linux

package scripts

import (
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestReruns runs the scripts about attacks as an ordinary user and without namespaces; the other scripts are about settings. The scripts
// themselves run as the user who started them. The grants of plugins do not depend on namespaces.
func TestReruns(t *testing.T) {
	t.Parallel()
	harness.OrdinaryUser.Rerun(t, "TestScripts/sandbox/^(git|grants|home|odd|plugins|policy|protected|settings)$",
		"TestScripts/trust/^(pinned_state|trust_links)$", "TestScripts/install-plugins/^condition_request$")
	for _, bare := range []harness.Environment{harness.BareRoot, harness.BareOrdinaryUser} {
		bare.Rerun(t, "TestScripts/sandbox/^(git|home|odd|policy|protected|settings)$", "TestScripts/trust/^pinned_state$")
	}
}
