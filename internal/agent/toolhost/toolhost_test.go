package toolhost_test

import (
	"os"
	"testing"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/system/process"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/shell"
)

// TestMain lets the test executable take the place of aura-tool-host.
func TestMain(m *testing.M) {
	if status, asked := toolhost.Main(os.Args); asked {
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestMainIgnores(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"aura"}, {"aura", "run"}, {"aura", "run", shell.Argument}, {"aura", sandbox.Argument + "x"}, {"aura", "-" + process.ReaperArgument}} {
		if _, asked := toolhost.Main(args); asked {
			t.Errorf("%q: taken for arguments of the tool host", args)
		}
	}
}

// TestProgramItself has no aura-tool-host beside it.
func TestProgramItself(t *testing.T) {
	t.Parallel()
	found, err := toolhost.Program()
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if found.Separate() || found.Path != own {
		t.Errorf("got %+v, want %s", found, own)
	}
	ran, err := shell.Run(t.Context(), shell.Command{Executable: found.Start, Line: "echo ran", Dir: t.TempDir()})
	if err != nil || string(ran.Stdout) != "ran\n" {
		t.Errorf("got %q, %v", ran.Stdout, err)
	}
}
