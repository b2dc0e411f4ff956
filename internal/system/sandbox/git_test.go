package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
	"github.com/idelchi/aura/internal/system/sandbox"
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
			[]string{"work/.git", "r/.git/worktrees/w/config.worktree", "r/.git/worktrees/w/commondir", "r/.git/hooks", "r/.git/config", "r/.git/config.worktree", "r/.git/commondir"},
		},
		"submodule": {
			map[string]string{"work/.git": "gitdir: ../.git/modules/m", ".git/modules/m/HEAD": ""},
			[]string{"work/.git", ".git/modules/m/hooks", ".git/modules/m/config", ".git/modules/m/config.worktree", ".git/modules/m/commondir"},
		},
		"commondir in a directory": {
			map[string]string{"work/.git/commondir": "../../r"}, []string{"r/hooks", "r/config", "r/config.worktree", "r/commondir"},
		},
		"hooks of the root": {
			map[string]string{".git/HEAD": "", ".git/config": "[core]\nhooksPath=work/.husky"},
			[]string{"work/.git", ".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", "work/.husky"},
		},
		"hooks of a repository below": {
			map[string]string{"work/.git/HEAD": "", "work/part/.git/config": "[core]\nhooksPath=.githooks"},
			[]string{"work/part/.git/hooks", "work/part/.git/config", "work/part/.git/config.worktree", "work/part/.git/commondir", "work/part/.githooks"},
		},
		"hooks of an included file": {
			map[string]string{"work/part/.git/config": "[include]\npath=../../more", "work/more": "[core]\nhooksPath=h"},
			[]string{
				"work/.git", "work/part/.git/hooks", "work/part/.git/config", "work/part/.git/config.worktree", "work/part/.git/commondir",
				"work/part/h", "work/more",
			},
		},
		"without a working tree": {
			map[string]string{"work/HEAD": "", "work/objects/x": "", "work/refs/x": "", "work/config": "[core]\nbare = true\nhooksPath = h"},
			[]string{"work/.git", "work/hooks", "work/config", "work/config.worktree", "work/commondir", "work/h"},
		},
		"without a working tree, below": {
			map[string]string{"work/part.git/HEAD": "", "work/part.git/objects/x": "", "work/part.git/refs/x": ""},
			[]string{"work/.git", "work/part.git/hooks", "work/part.git/config", "work/part.git/config.worktree", "work/part.git/commondir"},
		},
		"another working tree": {
			map[string]string{"work/.git/config": "[core]\nworktree = ../part\nhooksPath = h", "work/part/x": ""}, []string{"work/h", "work/part/h"},
		},
		"file of a linked tree": {
			map[string]string{
				"work/.git/HEAD": "", "work/.git/config": "[core]\nhooksPath = h", "work/part/.git": "gitdir: ../.git/worktrees/w", "work/.git/worktrees/w/commondir": "../..",
				"work/.git/worktrees/w/gitdir": "BASE/work/part/.git\n",
			},
			[]string{
				"work/.git/worktrees/w/gitdir", "work/part/.git", "work/.git/worktrees/w/config.worktree", "work/.git/worktrees/w/commondir",
				"work/h", "work/part/h",
			},
		},
		"file of a submodule": {
			map[string]string{
				"work/.git/HEAD": "", "work/libs/one/.git": "gitdir: ../../.git/modules/libs/one", "work/.git/modules/libs/one/HEAD": "",
				"work/.git/modules/libs/one/config": "[core]\nworktree = ../../../../libs/one\nhooksPath = h",
			},
			[]string{
				"work/libs/one/.git", "work/.git/modules/libs/one/hooks", "work/.git/modules/libs/one/config", "work/.git/modules/libs/one/config.worktree",
				"work/.git/modules/libs/one/commondir", "work/.git/modules/libs/one/h", "work/libs/one/h",
			},
		},
		"submodule of a linked tree": {
			map[string]string{
				"work/.git": "gitdir: ../r/.git/worktrees/w\n", "r/.git/worktrees/w/commondir": "../..\n", "r/.git/worktrees/w/modules/m/HEAD": "",
			},
			[]string{
				"work/.git", "r/.git/worktrees/w/config.worktree", "r/.git/worktrees/w/commondir", "r/.git/hooks", "r/.git/config", "r/.git/config.worktree",
				"r/.git/commondir", "r/.git/worktrees/w/modules/m/hooks", "r/.git/worktrees/w/modules/m/config",
				"r/.git/worktrees/w/modules/m/config.worktree", "r/.git/worktrees/w/modules/m/commondir",
			},
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
				path, text = filepath.Join(base, path), strings.ReplaceAll(text, "BASE", base)
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

// TestUsersGitSettings checks that the user's settings of Git are read from where the environment says, and that a relative
// directory of hooks in them is protected in each repository.
func TestUsersGitSettings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file string
		// environ has BASE for the parent of the working directory.
		environ []string
		// want is whether the hooks are found, and protected whether the file itself is protected.
		want, protected bool
	}{
		"home":              {"home/.gitconfig", nil, true, false},
		"home, .config":     {"home/.config/git/config", nil, true, false},
		"XDG":               {"xdg/git/config", []string{"XDG_CONFIG_HOME=BASE/xdg"}, true, true},
		"global":            {"work/ci.conf", []string{"GIT_CONFIG_GLOBAL=BASE/work/ci.conf"}, true, true},
		"global, relative":  {"work/ci.conf", []string{"GIT_CONFIG_GLOBAL=ci.conf"}, true, true},
		"system":            {"etc/conf", []string{"GIT_CONFIG_SYSTEM=BASE/etc/conf"}, true, true},
		"XDG is empty":      {"work/git/config", []string{"XDG_CONFIG_HOME="}, false, false},
		"another variable":  {"etc/conf", []string{"GIT_CONFIG=BASE/etc/conf"}, false, false},
		"no such file":      {"etc/conf", []string{"GIT_CONFIG_GLOBAL=" + os.DevNull}, false, false},
		"the environment's": {"home/.gitconfig", []string{"GIT_CONFIG_GLOBAL=BASE/none"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := t.TempDir()
			at := func(path string) string { return filepath.Join(base, path) }
			for _, path := range []string{"work/.git/x", "work/part/.git/x", tt.file} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(at(path)), 0o755), os.WriteFile(at(path), []byte("[core]\nhooksPath = h\n"), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			var environ []string
			for _, entry := range tt.environ {
				environ = append(environ, strings.ReplaceAll(entry, "BASE", base))
			}
			got := sandbox.GitPaths(at("work"), at("home"), environ...)
			for _, dir := range []string{"work/h", "work/part/h"} {
				if slices.Contains(got.Paths, at(dir)) != tt.want {
					t.Errorf("%s is protected: %t", dir, !tt.want)
				}
			}
			if slices.Contains(got.Files, at(tt.file)) != tt.protected {
				t.Errorf("the file is protected: %t", !tt.protected)
			}
		})
	}
}

// TestLinkedGit checks that what links in directories of hooks lead to is protected, and what a link to the user's settings leads to.
func TestLinkedGit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config, link, target string
		// want is the protected link, relative to the parent of the working directory; empty if there is none.
		want string
	}{
		"hook":                     {"", "work/.git/hooks/pre-commit", "../../a", "work/.git/hooks/pre-commit"},
		"hook, missing":            {"", "work/.git/hooks/pre-commit", "../../missing", "work/.git/hooks/pre-commit"},
		"hook of a repository":     {"", "work/part/.git/hooks/x", "../../../a", "work/part/.git/hooks/x"},
		"hook elsewhere":           {"[core]\nhooksPath = h", "work/h/x", "../a", "work/h/x"},
		"folder of hooks":          {"", "work/.git/hooks", "../h", ""}, // it is protected anyway
		"hook in the folder":       {"", "work/.git/hooks/x", "y", ""},
		"folder in a hooks folder": {"[core]\nhooksPath = h", "work/h/x/y", "../../a", ""},
		"settings":                 {"", "home/.gitconfig", "../work/a", "home/.gitconfig"},
		"settings, .config":        {"", "home/.config", "../work/d", "home/.config/git/config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			at := func(path string) string { return filepath.Join(base, path) }
			for _, path := range []string{"work/.git/config", "work/part/.git/config", "work/a", "work/d/git/config"} {
				if err := errors.Join(os.MkdirAll(filepath.Dir(at(path)), 0o755), os.WriteFile(at(path), []byte(tt.config), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(at(tt.link)), 0o755), os.Symlink(tt.target, at(tt.link))); err != nil {
				testneed.Missing(t, testneed.Links, err)
			}
			var want []string
			if tt.want != "" {
				want = []string{at(tt.want)}
			}
			if got := sandbox.GitPaths(at("work"), at("home")); !slices.Equal(got.Files, want) {
				t.Errorf("got %q, want %q", got.Files, want)
			}
		})
	}
}

func mkdir(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
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
