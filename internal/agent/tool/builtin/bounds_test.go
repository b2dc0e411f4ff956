package builtin_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// patched returns the arguments of a patch with the given changes.
func patched(changes string) map[string]any {
	return map[string]any{"patch": "*** Begin Patch\n" + changes + "\n*** End Patch"}
}

// TestLargeDirectory lists more names than are shown.
func TestLargeDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for i := range 2500 {
		put(t, filepath.Join(dir, fmt.Sprintf("%05d", i)), "")
	}
	for name, args := range map[string]map[string]any{"Ls": {}, "Glob": {"pattern": "*"}} {
		got, err := find(t, dir, name).Execute(t.Context(), tool.Call{Args: args})
		lines := strings.Split(got, "\n")
		if err != nil || len(lines) != 1001 || lines[0] != "00000" || lines[999] != "00999" || lines[1000] != "[... and 1500 more ...]" {
			t.Errorf("%s: got %d lines, %q ... %q, %v", name, len(lines), lines[0], lines[len(lines)-1], err)
		}
	}
}

// TestDeadline runs calls that have no time left. The error names the setting, and the file is unchanged.
func TestDeadline(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), strings.Repeat("x\n", 1<<16))
	for name, args := range map[string]map[string]any{
		"Read": {"path": "f"}, "Ls": {}, "Glob": {"pattern": "**/*"}, "Rg": {"pattern": "y"}, "Edit": {"path": "f", "old": "x", "new": "y", "replace_all": true},
		"Patch": patched("*** Update File: f\n@@\n-x\n+y\n*** End of File"), "Write": {"path": "f", "content": "y"}, "Mkdir": {"path": "made"},
	} {
		_, err := one(t, builtin.Options{Workdir: dir, Timeout: 1}, name).Execute(t.Context(), tool.Call{Args: args})
		if err == nil || !strings.Contains(err.Error(), name+" was stopped after 1ns, the limit tools.timeout") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	holds(t, filepath.Join(dir, "f"), strings.Repeat("x\n", 1<<16))
	if _, err := os.Stat(filepath.Join(dir, "made")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
