package setup

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/idelchi/aura/internal/testneed"
)

// TestLinked checks that links to plugins are found where plugins are searched for, and that no link is followed.
func TestLinked(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{"own", "group/deep", "elsewhere/one"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(
		os.WriteFile(filepath.Join(root, "own/plugin.yaml"), nil, 0o600),
		os.Symlink("../elsewhere/one", filepath.Join(root, "own/inside")),
		os.Symlink("elsewhere/one", filepath.Join(root, "right")),
		os.Symlink("../../elsewhere/one", filepath.Join(root, "group/deep/down")),
		os.Symlink("..", filepath.Join(root, "group/loop")),
		os.Symlink("nowhere", filepath.Join(root, "broken")),
	)
	if err != nil {
		testneed.Missing(t, testneed.Links, err)
	}
	want := []string{filepath.Join(root, "group/deep/down"), filepath.Join(root, "group/loop"), filepath.Join(root, "right")}
	got := linked(root, linkDepth, false)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := linked(filepath.Join(root, "missing"), linkDepth, false); got != nil {
		t.Errorf("got %q from a directory that does not exist", got)
	}
}
