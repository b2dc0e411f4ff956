//go:build unix

package scripts

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/idelchi/aura/internal/lab/e2e/harness"
)

func init() {
	commands["unheld"] = unheld
}

// unheld FILE checks that the file exists and waits until no process has it open. This finds processes that left the script's
// directory, which leavesnone does not see.
func unheld(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: unheld FILE")
	}
	path := ts.MkAbs(args[0])
	_, err := os.Stat(path)
	ts.Check(err)
	until(ts, "the end of whoever holds "+args[0], func() bool { return !harness.Held(path) })
}
