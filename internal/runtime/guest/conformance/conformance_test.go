//go:build unix

package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/runtime/aar"
	"github.com/idelchi/aura/shared"
)

// asGuest is the variable that makes this test program a guest.
const asGuest = "AURA_TEST_GUEST"

func TestMain(m *testing.M) {
	if os.Getenv(asGuest) != "" {
		os.Exit(guestMain())
	}
	os.Exit(m.Run())
}

// TestPython checks the runner of Python extensions.
func TestPython(t *testing.T) {
	t.Parallel()
	python := testneed.Program(t, "python")
	out, err := exec.Command(python, "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := aar.PythonPath(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := filepath.Abs("testdata/conformance.py")
	if err != nil {
		t.Fatal(err)
	}
	Check(t, shared.Guest{Program: strings.TrimSpace(string(out)), Args: aar.Args(root, plugin)}, nil)
}

// TestOther checks a guest that is written for this test.
func TestOther(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	Check(t, shared.Guest{Program: program}, []string{asGuest + "=1"})
}
