//go:build linux

package sandbox

import (
	"testing"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

// TestReruns runs tests as an ordinary user. The tests themselves run as the user who started them.
func TestReruns(t *testing.T) {
	t.Parallel()
	harness.OrdinaryUser.Rerun(t, "TestSecrets", "TestTrustQuestion")
}
