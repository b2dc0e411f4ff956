package cli

import (
	"errors"
	"os"
	"testing"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestMain lets the test executable act as aura, which restarts itself for shell lines and confined tools. Without this, every
// such start would run all tests again.
func TestMain(m *testing.M) {
	if status, asked := toolhost.Main(os.Args, nil); asked {
		os.Exit(status)
	}
	os.Exit(atHome(m))
}

// atHome runs the tests with their own home directory, because sessions are kept below it.
func atHome(m *testing.M) int {
	home, err := os.MkdirTemp("", "aura-home-")
	if err != nil {
		panic(err)
	}
	// The home is located among temporary files, so confined processes get their own directory for temporary files.
	defer func() { _ = errors.Join(os.RemoveAll(home), sandbox.RemovePrivateTemp()) }()
	if err := os.Setenv("HOME", home); err != nil {
		panic(err)
	}
	return m.Run()
}
