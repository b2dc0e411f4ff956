package sandbox_test

import (
	"os"
	"testing"
)

// TestMain makes the test binary play the processes that the tests start: see stages.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if stage, ok := stages[os.Args[1]]; ok {
			os.Exit(stage())
		}
	}
	os.Exit(m.Run())
}

// stages maps the first argument to what the process does instead of testing.
var stages = map[string]func() int{}
