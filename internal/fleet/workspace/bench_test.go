package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/workspace"
)

// BenchmarkCheckpoint prepares a workspace with 20,000 files, and makes checkpoints of it after one file changed.
func BenchmarkCheckpoint(b *testing.B) {
	dir := b.TempDir()
	for i := range 20_000 {
		path := filepath.Join(dir, fmt.Sprintf("d%d", i%20), fmt.Sprintf("e%d", i%400), fmt.Sprintf("f%d.txt", i))
		if i < 8000 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "file %d\n%0*d\n", i, 1000+i%3000, i), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"}} {
		benchGit(b, dir, args...)
	}
	prepare := func(b *testing.B) *workspace.Workspace {
		b.Helper()
		s, err := workspace.Prepare(b.Context(), fleet.Workspace{Git: "file://" + dir}, workspace.Options{Root: b.TempDir(), Environ: os.Environ(), LocalGit: true})
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	checkpoint := func(b *testing.B, s *workspace.Workspace, i int) {
		b.Helper()
		if err := os.WriteFile(filepath.Join(s.Dir, "d1", "new"), fmt.Appendf(nil, "change %d", i), 0o600); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Patch(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("prepare and first", func(b *testing.B) {
		for i := range b.N {
			checkpoint(b, prepare(b), i)
		}
	})
	b.Run("next", func(b *testing.B) {
		s := prepare(b)
		checkpoint(b, s, -1)
		for i := 0; b.Loop(); i++ {
			checkpoint(b, s, i)
		}
	})
}

func benchGit(b *testing.B, dir string, args ...string) {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %v: %v: %s", args, err, out)
	}
}
