package relay_test

import (
	"os"
	"testing"

	"github.com/idelchi/aura/internal/system/process"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.LeadArgument {
		os.Exit(process.Lead(os.Args[2:]))
	}
	os.Exit(m.Run())
}
