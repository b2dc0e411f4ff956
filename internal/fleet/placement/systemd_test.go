package placement_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestSystemdAccepts lets systemd read the units. It reports unknown keys and values. It need not run, and aura need not be installed.
func TestSystemdAccepts(t *testing.T) {
	t.Parallel()
	analyze := testneed.Program(t, "systemd-analyze")
	for file, unit := range map[string]string{"systemd.service": "aura-worker.service", "systemd-many@.service": "aura-worker@.service"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if found := verify(t, analyze, unit, string(text)); len(found) > 0 {
			t.Errorf("%s:\n%s", file, strings.Join(found, "\n"))
		}
		if found := verify(t, analyze, unit, string(text)+"\n[Service]\nMemoryMaximum=1G\nTasksMax=many\n"); len(found) != 2 {
			t.Errorf("%s: systemd finds %q, want two mistakes", file, found)
		}
	}
}

// verify returns what systemd finds wrong in a unit, except that aura is not installed.
func verify(t *testing.T, analyze, unit, text string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), unit)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput() // the exit code is 1 without aura
	var found []string
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, ": Command aura is not executable: ") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}
