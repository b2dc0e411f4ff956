package sandbox_test

import (
	"fmt"
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
	os.Exit(run(m))
}

// scenes is the directory of all scenes. It is removed after all tests: some file systems look long for a free place for a new file
// while other files are being removed.
var scenes string

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "aura-sandbox-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	scenes = dir
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// stages maps the first argument to the function that runs instead of the tests.
var stages = map[string]func() int{}
