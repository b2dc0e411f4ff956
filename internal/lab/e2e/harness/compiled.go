//go:build unix

package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

// testRuntime is the variable that selects the runtime of plugins in Go. With "native", only scripts with such a plugin run, and aura compiles
// each plugin before it starts it. Everything that a script compares must be as with the interpreter.
const testRuntime = "AURA_TEST_RUNTIME"

// CompiledRuntime reports whether aura compiles each plugin before it starts it.
func CompiledRuntime() bool { return os.Getenv(testRuntime) == "native" }

// checkRuntime refuses a runtime that does not exist.
func checkRuntime() error {
	if value := os.Getenv(testRuntime); value != "" && !CompiledRuntime() {
		return fmt.Errorf("%s=%s: want native, or nothing for the interpreter", testRuntime, value)
	}
	return nil
}

// CompiledBin is the directory of the aura that compiles plugins.
var CompiledBin string

// buildCompiled builds the aura that compiles plugins, beside the programs that all tests use.
func buildCompiled() error {
	if err := goBuild([]string{"build", "-tags", "compilefirst", "-o", filepath.Join(CompiledBin, "aura"), "../../../../cmd/aura"}, false); err != nil {
		return err
	}
	for _, name := range []string{"aura-plugin-host", "aura-tool-host", "mcpserver"} {
		if err := os.Link(filepath.Join(QuickBin, name), filepath.Join(CompiledBin, name)); err != nil {
			return err
		}
	}
	return nil
}
