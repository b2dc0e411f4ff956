//go:build !race

package sandbox_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// TestCrowdedRepositories checks that repositories that confined code creates do not crowd out those of the user: what is not
// examined is protected as a whole.
func TestCrowdedRepositories(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for i := range 300 {
		for _, dir := range []string{".git/modules/%03d", ".git/worktrees/%03d", "a%03d/.git"} {
			dir = filepath.Join(base, fmt.Sprintf(dir, i))
			if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "HEAD"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	got := sandbox.GitPaths(base, "")
	for _, path := range []string{".git/hooks", ".git/modules", ".git/worktrees", "a299/.git"} {
		if !slices.Contains(got.Paths, filepath.Join(base, path)) {
			t.Errorf("%s is not protected", path)
		}
	}
}

// TestManyRepositories checks that the number of protected paths has a limit, and that what is beyond it is reported.
func TestManyRepositories(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		repositories, plain, hooks, includes int
		// told holds a part of each sentence about what is not protected.
		told []string
	}{
		"some":               {repositories: 250, plain: 3000},
		"more":               {repositories: 1000, told: []string{"more than 256 repositories"}},
		"many":               {repositories: 3000, told: []string{"contains more than 1024 repositories: those from r01024 on", "more than 256 repositories"}},
		"among many entries": {repositories: 1, plain: 17000, told: []string{"contains more than 16384 entries"}},
		"hooks":              {hooks: 1000},
		"many hooks":         {hooks: 3000, told: []string{"more than 1024 directories of hooks"}},
		"many includes":      {includes: 40, told: []string{"more than 32 files"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			for i := range tt.plain {
				mkdir(t, filepath.Join(base, fmt.Sprintf("p%05d", i)))
			}
			for i := range tt.repositories {
				mkdir(t, filepath.Join(base, fmt.Sprintf("r%05d/.git", i)))
			}
			text := "[core]\n"
			for i := range tt.hooks {
				text += fmt.Sprintf("hooksPath = h%d\n", i)
			}
			text += "[include]\n"
			for i := range tt.includes {
				text += fmt.Sprintf("path = i%d\n", i)
			}
			mkdir(t, filepath.Join(base, ".git"))
			if err := os.WriteFile(filepath.Join(base, ".git/config"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p := sandbox.Default(sandbox.Place{Workdir: base}, sandbox.KindShell)
			if len(p.Protected) > 3000 || !slices.Contains(p.Protected, filepath.Join(base, ".git/hooks")) {
				t.Errorf("%d paths are protected", len(p.Protected))
			}
			if !slices.EqualFunc(p.Uncovered, tt.told, strings.Contains) {
				t.Errorf("told %q, want %q", p.Uncovered, tt.told)
			}
		})
	}
}
