//go:build linux

package harness

import (
	"os"
	"path/filepath"
)

// WithoutMode lets sessions in screens and editors begin without a mode, so that what a test sees does not depend on whether this machine enforces
// the sandbox. The modes have tests of their own. It keeps settings of tools that the test wrote to the user's home.
func (p *Project) WithoutMode() {
	p.T.Helper()
	path := filepath.Join(p.Home, ".aura", "config", "features", "tools.yaml")
	if _, err := os.Stat(path); err == nil {
		return
	}
	p.Check(os.MkdirAll(filepath.Dir(path), 0o755))
	p.Check(os.WriteFile(path, []byte("tools: {mode: none}\n"), 0o644)) //nolint:gosec // aura may run as another user
}
