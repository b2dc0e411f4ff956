package app

import (
	"os"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/shell"
)

// TestMain lets the test's own executable stand in for aura, which is started again for shell lines and confined tools. Without
// it every such start would run all tests anew.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case shell.Argument:
			os.Exit(shell.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case sandbox.Argument:
			os.Exit(sandbox.Main(setup.RunConfined))
		}
	}
	os.Exit(m.Run())
}
