package sandbox_test

import (
	"os"
	"testing"
)

// TestMain runs the processes that the tests start, which use the test binary too; see stages.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if stage, ok := stages[os.Args[1]]; ok {
			os.Exit(stage())
		}
	}
	os.Exit(m.Run())
}

// stages maps the first argument to the function that runs instead of the tests.
var stages = map[string]func() int{}
