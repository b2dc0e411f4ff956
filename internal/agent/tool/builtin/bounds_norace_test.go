//go:build !race

package builtin_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// TestBounds makes calls that would take very long, or very much memory, without a bound on their work. Each returns at once.
func TestBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	same := strings.Repeat("x\n", 150_000)
	put(t, filepath.Join(dir, "same"), same)
	put(t, filepath.Join(dir, "lines"), strings.Repeat("\n", 2_000_001))
	put(t, filepath.Join(dir, "as"), strings.Repeat("a", 1<<20))
	put(t, filepath.Join(dir, "one"), "1\n")
	context := strings.Repeat(" x\n", 100_000)
	hunks := strings.Repeat("@@ x\n+y\n", 1000)
	var files strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&files, "*** Add File: f%d\n+x\n", i)
	}
	tests := map[string]struct {
		tool  string
		args  map[string]any
		fails string
	}{
		"Glob: many braces":        {"Glob", map[string]any{"pattern": strings.Repeat("{a,b}", 40)}, "its braces stand for more than 1000 patterns"},
		"Glob: nested braces":      {"Glob", map[string]any{"pattern": strings.Repeat("{a,{b,c}{d,e}}", 8)}, "its braces stand for more than 1000 patterns"},
		"Glob: long pattern":       {"Glob", map[string]any{"pattern": strings.Repeat("*a", 8<<10)}, "the limit is 8 KiB"},
		"Rg: many braces":          {"Rg", map[string]any{"pattern": "x", "glob": strings.Repeat("{a,b}", 40)}, "its braces stand for more than 1000 patterns"},
		"Rg: long glob":            {"Rg", map[string]any{"pattern": "x", "glob": strings.Repeat("*a", 8<<10)}, "the limit is 8 KiB"},
		"Rg: long pattern":         {"Rg", map[string]any{"pattern": strings.Repeat("x", 9<<10)}, "the limit is 8 KiB"},
		"Rg: repetitions":          {"Rg", map[string]any{"pattern": strings.Repeat("(x{1,100}y{1,100}){1,9}", 9)}, "instructions, and the limit is 10000"},
		"Patch: repetitive lines":  {"Patch", patched("*** Update File: same\n@@\n" + context + "-y"), "does not match"},
		"Patch: repetitive places": {"Patch", patched("*** Update File: same\n@@\n" + context + "+y"), "fits at 50001 places, lines 1, 2, 3"},
		"Patch: many hunks":        {"Patch", patched("*** Update File: same\n" + hunks), "the limit of 100000000 compared lines"},
		"Patch: many lines":        {"Patch", patched("*** Update File: lines\n@@\n-x\n+y"), "the limit of 2000000 lines"},
		"Patch: many files":        {"Patch", patched(files.String()), "the limit of 1000 files"},
		"Edit: overlapping places": {"Edit", map[string]any{"path": "as", "old": strings.Repeat("a", 1<<19), "new": "b"}, "old occurs 1000 times or more, at lines 1, 1"},
		"Edit: large result":       {"Edit", map[string]any{"path": "as", "old": "a", "new": strings.Repeat("b", 1<<20), "replace_all": true}, "more than the limit of 64 MiB"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			got, err := one(t, builtin.Options{Workdir: dir, Timeout: time.Minute}, tt.tool).Execute(t.Context(), tool.Call{Args: tt.args})
			if err == nil || !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("got %.200q, %.300v", got, err)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// TestAllPlaces replaces every byte of a file.
func TestAllPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "f"), strings.Repeat("a\r\na\n", 1<<18))
	got, err := find(t, dir, "Edit").Execute(t.Context(), tool.Call{Args: map[string]any{"path": "f", "old": "a", "new": "b\nc", "replace_all": true}})
	if err != nil || got != "replaced 524288 occurrences in f, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 524278 more" {
		t.Errorf("got %q, %v", got, err)
	}
	holds(t, filepath.Join(dir, "f"), strings.Repeat("b\r\nc\r\nb\r\nc\n", 1<<18))
}
