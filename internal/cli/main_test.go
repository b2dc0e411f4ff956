package cli

import (
	"errors"
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
	os.Exit(atHome(m))
}

// atHome runs the tests with a home directory of their own, because sessions are kept below it.
func atHome(m *testing.M) int {
	home, err := os.MkdirTemp("", "aura-home-")
	if err != nil {
		panic(err)
	}
	// The home lies among temporary files, so confined processes have a directory of their own for these.
	defer func() { _ = errors.Join(os.RemoveAll(home), sandbox.RemovePrivateTemp()) }()
	if err := os.Setenv("HOME", home); err != nil {
		panic(err)
	}
	return m.Run()
}
