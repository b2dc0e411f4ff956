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
	if err := Build(host); err != nil {
		panic(err)
	}
	return m.Run()
}

// Build builds aura-plugin-host. The flags are those of the Makefile for programs without the race detector, so that the build cache has most of it.
func Build(path string) error {
	if err := testcache.DependOnSources(); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-w", "-o", path, "github.com/idelchi/aura/cmd/aura-plugin-host") //nolint:gosec // a path of the test
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building aura-plugin-host: %w: %s", err, out)
	}
	return nil
}
