// Package testhost builds aura-plugin-host for tests that run plugins in their own process.
package testhost

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/idelchi/aura/internal/lab/testcache"
)

// Run runs the tests with aura-plugin-host beside the test executable, where aura looks for it first. It returns the exit code.
func Run(m *testing.M) int {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	name := "aura-plugin-host"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	host := filepath.Join(filepath.Dir(self), name)
	defer func() { _ = os.Remove(host) }()
	if err := testcache.DependOnSources(); err != nil {
		panic(err)
	}
	build := exec.Command("go", "build", "-o", host, "github.com/idelchi/aura/cmd/aura-plugin-host") //nolint:gosec // beside the test itself
	if out, err := build.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("building aura-plugin-host: %v: %s", err, out))
	}
	return m.Run()
}
