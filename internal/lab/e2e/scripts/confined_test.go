//go:build linux

package scripts

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/internal/system/state"
)

func init() {
	commands["listen"] = listen
	preparations["confined"] = preparation{begin: beginConfined}
}

// beginConfined runs scripts outside of the temporary directory, which every policy grants, with the home directory beside
// them.
func beginConfined(t *testing.T, _ string) testscript.Params {
	t.Helper()
	if s := sandbox.Support(); !s.Enabled {
		testneed.Missing(t, testneed.Sandbox, s.Reason())
	}
	if _, err := harness.Weapon(); err != nil {
		t.Fatal(err)
	}
	root, err := os.MkdirTemp(harness.OutsideRoot, "aura-e2e-") //nolint:usetesting // it must not be where everybody may write
	if err != nil {
		testneed.Missing(t, testneed.Outside, err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	return testscript.Params{WorkdirRoot: root, Setup: setupConfined}
}

func setupConfined(env *testscript.Env) error {
	if err := harness.Setup(env); err != nil {
		return err
	}
	home, stateDir := env.WorkDir+"-home", env.WorkDir+"-state"
	for name, value := range map[string]string{
		"HOME": home, "XDG_CACHE_HOME": filepath.Join(home, ".cache"),
		"XDG_STATE_HOME": stateDir, "STATE": state.Locate(stateDir, "", env.WorkDir).Project,
	} {
		env.Setenv(name, value)
	}
	return os.Mkdir(home, 0o755)
}

// listen NETWORK FILE listens on a Unix socket of that name, or on a port that is written to the file.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: listen NETWORK FILE")
	}
	address := ts.MkAbs(args[1])
	if args[0] != "unix" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen(args[0], address)
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	if args[0] != "unix" {
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(l.Addr().String()), 0o600))
	}
}
