package workspace_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/workspace"
	"github.com/idelchi/aura/internal/lab/testneed"
)

// gitIn runs git as a person would, without the person's own settings.
func gitIn(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// plantRepository makes a repository whose filter creates the file mark, as a task's tools could. Its only file was changed.
func plantRepository(t *testing.T, dir, mark string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	gitIn(t, dir, nil, "init", "--quiet")
	write(t, filepath.Join(dir, "f"), "x")
	gitIn(t, dir, nil, "add", ".")
	gitIn(t, dir, nil, "commit", "--quiet", "-m", "x")
	gitIn(t, dir, nil, "config", "filter.e.clean", "touch '"+mark+"'; cat")
	write(t, filepath.Join(dir, ".gitattributes"), "* filter=e\n")
	write(t, filepath.Join(dir, "f"), "y")
}

// withSubmodule returns the URL of a repository with a submodule named sub.
func withSubmodule(t *testing.T) string {
	t.Helper()
	inner, outer := t.TempDir(), t.TempDir()
	for _, dir := range []string{inner, outer} {
		gitIn(t, dir, nil, "init", "--quiet", "--initial-branch=main")
		write(t, filepath.Join(dir, "f"), "x")
		gitIn(t, dir, nil, "add", ".")
		gitIn(t, dir, nil, "commit", "--quiet", "-m", "x")
	}
	gitIn(t, outer, nil, "submodule", "--quiet", "add", "file://"+inner, "sub")
	gitIn(t, outer, nil, "commit", "--quiet", "-m", "sub")
	return "file://" + outer
}

// TestGitlinks leaves a repository with a filter where git expects a submodule. Nothing of it runs, and no patch names it. The control
// is git itself with the same files.
func TestGitlinks(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	for name, tt := range map[string]struct {
		workspace fleet.Workspace
		// large makes the first patch larger than the limit.
		large bool
	}{
		"a submodule of the workspace":            {workspace: fleet.Workspace{Git: withSubmodule(t)}},
		"a new repository":                        {},
		"a new repository and a patch over limit": {large: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := prepare(t, tt.workspace, nil)
			if err != nil {
				t.Fatal(err)
			}
			mark := filepath.Join(t.TempDir(), "ran")
			plantRepository(t, filepath.Join(s.Dir, "sub"), mark)
			if tt.large {
				line := strings.Repeat("a", 1<<16) + "\n"
				write(t, filepath.Join(s.Dir, "large"), strings.Repeat(line, fleet.MaxBlob/len(line)+1))
				var large *workspace.TooLargeError
				if _, err := s.Patch(t.Context()); !errors.As(err, &large) {
					t.Fatalf("the patch is not too large: %v", err)
				}
				if err := os.Remove(filepath.Join(s.Dir, "large")); err != nil {
					t.Fatal(err)
				}
			}
			write(t, filepath.Join(s.Dir, "own"), "own\n")
			for _, content := range []string{"1", "2"} {
				write(t, filepath.Join(s.Dir, "sub", "f"), content)
				patch, err := s.Patch(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Contains(patch, []byte("+own")) || bytes.Contains(patch, []byte("160000")) || bytes.Contains(patch, []byte("sub/f")) {
					t.Errorf("the patch is %s", patch)
				}
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("the worker's git ran a program of the task")
			}
			control(t, s.Dir)
			if _, err := os.Stat(mark); err != nil {
				t.Errorf("the control did not run the program: %v", err)
			}
		})
	}
}

// control adds the files of a workspace twice, with a repository of its own: the second time, git looks into the gitlink of the first.
func control(t *testing.T, dir string) {
	t.Helper()
	private := filepath.Join(t.TempDir(), "control.git")
	gitIn(t, dir, nil, "init", "--quiet", "--bare", private)
	for _, content := range []string{"3", "4"} {
		write(t, filepath.Join(dir, "sub", "f"), content)
		gitIn(t, dir, []string{"GIT_DIR=" + private, "GIT_WORK_TREE=" + dir}, "-c", "core.fsmonitor=false", "-c", "core.hooksPath="+os.DevNull, "-c", "advice.addEmbeddedRepo=false", "add", "--all", ".")
	}
}
