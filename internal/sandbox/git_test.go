package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/sandbox"
)

// TestProtectedGit checks which paths of Git are protected, for different files in the working directory and above it. Paths
// are relative to the parent of the working directory. Paths that are protected in every working directory are left out.
func TestProtectedGit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"directory":          {map[string]string{"work/.git/HEAD": ""}, nil},
		"none":               {nil, []string{"work/.git"}},
		"only above":         {map[string]string{".git/HEAD": ""}, []string{"work/.git", ".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"}},
		"nearest above only": {map[string]string{"work/.git/HEAD": "", ".git/HEAD": ""}, nil},
		"linked tree": {
			map[string]string{"work/.git": "gitdir: ../r/.git/worktrees/w\n", "r/.git/worktrees/w/commondir": "../..\n"},
			[]string{"work/.git", "r/.git/worktrees/w/config.worktree", "r/.git/worktrees/w/commondir", "r/.git/hooks", "r/.git/config"},
		},
		"submodule": {
			map[string]string{"work/.git": "gitdir: ../.git/modules/m", ".git/modules/m/HEAD": ""},
			[]string{"work/.git", ".git/modules/m/hooks", ".git/modules/m/config", ".git/modules/m/config.worktree", ".git/modules/m/commondir"},
		},
		"commondir in a directory": {
			map[string]string{"work/.git/commondir": "../../r"}, []string{"r/hooks", "r/config"},
		},
		"leads nowhere":  {map[string]string{"work/.git": "gitdir: "}, []string{"work/.git"}},
		"something else": {map[string]string{"work/.git": "hello"}, []string{"work/.git"}},
		"too long":       {map[string]string{"work/.git": "gitdir: " + strings.Repeat("x", 5000)}, []string{"work/.git"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			workdir := filepath.Join(base, "work")
			if err := os.Mkdir(workdir, 0o755); err != nil {
				t.Fatal(err)
			}
			for path, text := range tt.files {
				path = filepath.Join(base, path)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			usual := []string{
				"work/.git/hooks", "work/.git/config", "work/.git/config.worktree", "work/.git/commondir",
				"work/.aura",
			}
			var got []string
			for _, path := range sandbox.Default(sandbox.Place{Workdir: workdir}, sandbox.KindShell).Protected {
				rel, err := filepath.Rel(base, path)
				if err != nil {
					t.Fatal(err)
				}
				if rel = filepath.ToSlash(rel); !slices.Contains(usual, rel) {
					got = append(got, rel)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestAbsent checks that each missing path is listed once, and that paths that would be created are not listed.
func TestAbsent(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	at := sandbox.Place{Workdir: base, Sources: []string{filepath.Join(base, "parts"), filepath.Join(base, "far/parts"), "/nowhere/parts"}}
	want := func(names ...string) {
		t.Helper()
		for i, name := range names {
			names[i] = filepath.Join(base, name)
		}
		if got := sandbox.Default(at, sandbox.KindShell).Absent(); !slices.Equal(got, names) {
			t.Errorf("got %q, want %q", got, names)
		}
	}
	want(".git", ".aura", "far")
	if err := errors.Join(os.Mkdir(filepath.Join(base, ".git"), 0o755), os.Mkdir(filepath.Join(base, ".aura"), 0o755)); err != nil {
		t.Fatal(err)
	}
	want(".git/config", ".git/config.worktree", ".git/commondir", "far")
}

// TestExposed checks that the working directory stays writable if plugins are loaded from it, and that the unprotected paths
// are listed.
func TestExposed(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	at := sandbox.Place{Workdir: filepath.Join(base, "work"), Sources: []string{base, filepath.Join(base, "work"), filepath.Join(base, "work/parts")}}
	p := sandbox.Default(at, sandbox.KindShell)
	if want := at.Sources[:2]; !slices.Equal(p.Exposed, want) {
		t.Errorf("exposed %q, want %q", p.Exposed, want)
	}
	if err := sandbox.Check(p, at.Workdir, sandbox.Access{Write: []string{"main.go"}}); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"parts/x/main.go", ".git", ".git/commondir", ".git/hooks/x", ".aura/config/x"} {
		var denied *sandbox.DeniedError
		if err := sandbox.Check(p, at.Workdir, sandbox.Access{Write: []string{path}}); !errors.As(err, &denied) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
