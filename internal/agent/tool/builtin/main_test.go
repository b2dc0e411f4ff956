package builtin_test

import (
	"os"
	"testing"

	"github.com/idelchi/aura/internal/system/process"
)

// TestMain lets the test executable replace aura, which is started again as the reaper of commands.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.ReaperArgument {
		os.Exit(process.Reap(os.Args[2:]))
	}
	os.Exit(m.Run())
}
