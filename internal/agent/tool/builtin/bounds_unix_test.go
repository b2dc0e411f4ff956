//go:build unix

package builtin_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
)

// TestEndlessLine reads and searches a file whose only line has no end within the deadline.
func TestEndlessLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, strings.Repeat("x", 64<<10))
	if err := os.Truncate(path, 1<<36); err != nil { // sparse
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for name, args := range map[string]map[string]any{"Read": {"path": "f", "line_start": 2}, "Rg": {"pattern": "y"}} {
		_, err := one(t, builtin.Options{Workdir: dir, Timeout: 100 * time.Millisecond}, name).Execute(ctx, tool.Call{Args: args})
		if err == nil || !strings.Contains(err.Error(), "the limit tools.timeout") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
