//go:build unix

package e2e

import (
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
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
	until(ts, "the end of whoever holds "+args[0], func() bool { return !held(path) })
}

// held reports whether any process has the file open.
func held(path string) bool {
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return false
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && target == path {
			return true
		}
	}
	return false
}
