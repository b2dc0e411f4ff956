package install

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/lab/testneed"
)

// TestFillIgnoresRepositories creates a repository whose configuration names a program at places that confined code can write
// to: in the working directory, in the temporary directory, and at paths that variables name. As a control, git itself runs
// the program.
func TestFillIgnoresRepositories(t *testing.T) {
	git := testneed.Program(t, "git")
	dir, home := t.TempDir(), t.TempDir()
	canary := filepath.Join(home, "canary")
	plant(t, dir, canary)
	t.Setenv("TMPDIR", dir)
	t.Chdir(dir)
	environ := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "PWD=" + dir, "GIT_DIR=" + filepath.Join(dir, ".git"),
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=credential.helper", "GIT_CONFIG_VALUE_0=!touch " + canary + ";:",
	}
	s := source{protocol: "https", host: "example.com", path: "/a/b"}

	if _, ok := (Options{Workdir: dir, Environ: environ, UserHome: home}).fill(t.Context(), s); ok {
		t.Error("nobody knows a password, yet there is one")
	}
	if _, err := os.Stat(canary); err == nil {
		t.Fatal("the program of a repository that anybody may have written was run")
	}

	for name, env := range map[string][]string{"found in the directory": environ[:4], "named by a variable": environ[:5], "by variables alone": environ[5:]} {
		control(t, git, dir, append(env, environ[:3]...))
		if err := os.Remove(canary); err != nil {
			t.Errorf("%s: the attack does not even work without the protection: %v", name, err)
		}
	}
}

// TestFillIgnoresProjectPrograms puts a program named git into entries of PATH that confined code can write to. As a control,
// the same program runs from an entry outside of the working directory. The test does not run in parallel: a program that
// another process has inherited open for writing cannot be started.
func TestFillIgnoresProjectPrograms(t *testing.T) {
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "the program is a shell script")
	}
	s := source{protocol: "https", host: "example.com", path: "/a/b"}
	for name, tt := range map[string]struct {
		entry string
		runs  bool
	}{
		"outside":                   {"@/outside", true},
		"inside":                    {"@/work/bin", false},
		"the working directory":     {"@/work", false},
		"with dots":                 {"@/outside/../work/bin", false},
		"a link that leads inside":  {"@/alias", false},
		"a link inside":             {"@/work/link", false},
		"relative":                  {"bin", false},
		"empty":                     {"", false},
		"a name that begins alike":  {"@/work-tools", true},
		"inside after what is fine": {"@/none:@/work/bin", false},
		"temporary":                 {"@/tmp/x", false},
		"cache":                     {"@/home/.cache", false},
		"a link to the cache":       {"@/links", false},
		"after a link to the cache": {"@/links:@/outside", true},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			canary := filepath.Join(base, "canary")
			for _, dir := range []string{"outside", "work", "work/bin", "work-tools", "tmp/x", "home/.cache", "links/.x"} {
				writeProgram(t, filepath.Join(base, dir, "git"), canary)
			}
			if err := errors.Join(os.Symlink("work/bin", filepath.Join(base, "alias")), os.Symlink("../outside", filepath.Join(base, "work/link")),
				os.Symlink("../home/.cache/git", filepath.Join(base, "links/git"))); err != nil {
				t.Fatal(err)
			}
			path := strings.ReplaceAll(tt.entry, "@", base)
			writable := []string{filepath.Join(base, "tmp"), filepath.Join(base, "home/.cache")}
			(Options{Workdir: filepath.Join(base, "work"), Writable: writable, Environ: []string{"PATH=" + path}}).fill(t.Context(), s)
			if _, err := os.Stat(canary); (err == nil) != tt.runs {
				t.Errorf("PATH=%s: run %t, want %t", path, err == nil, tt.runs)
			}
		})
	}
}

// TestFillIgnoresProjectHelpers lets git search for a credential helper that the user has configured. Git does not find the
// helper inside the working directory; as a control, it finds the same helper outside.
func TestFillIgnoresProjectHelpers(t *testing.T) {
	testneed.Program(t, "git")
	if runtime.GOOS == "windows" {
		testneed.Missing(t, testneed.Unix, "the helper is a shell script")
	}
	s := source{protocol: "https", host: "example.com", path: "/a/b"}
	for dir, runs := range map[string]bool{"outside": true, "work/bin": false} {
		base := t.TempDir()
		canary := filepath.Join(base, "canary")
		writeProgram(t, filepath.Join(base, dir, "git-credential-planted"), canary)
		err := os.WriteFile(filepath.Join(base, ".gitconfig"), []byte("[credential]\n\thelper = planted\n"), 0o600)
		if err = errors.Join(err, os.MkdirAll(filepath.Join(base, "work"), 0o700)); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(base, dir) + string(filepath.ListSeparator) + os.Getenv("PATH")
		(Options{Workdir: filepath.Join(base, "work"), Environ: []string{"PATH=" + path, "HOME=" + base, "GIT_CONFIG_NOSYSTEM=1"}}).fill(t.Context(), s)
		if _, err := os.Stat(canary); (err == nil) != runs {
			t.Errorf("%s: run %t, want %t", dir, err == nil, runs)
		}
	}
}

// writeProgram writes a program that creates a canary file.
func writeProgram(t *testing.T, path, canary string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err = errors.Join(err, os.WriteFile(path, []byte("#!/bin/sh\n: >'"+canary+"'\n"), 0o700)); err != nil {
		t.Fatal(err)
	}
}

// plant creates a repository that runs a program when git asks for a password.
func plant(t *testing.T, dir, canary string) {
	t.Helper()
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/x": "", "refs/x": "",
		"config": "[core]\n\trepositoryformatversion = 0\n[credential]\n\thelper = \"!touch " + canary + ";:\"\n",
	} {
		file := filepath.Join(dir, ".git", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// control asks for a password in the way that fill did before it used neutral.
func control(t *testing.T, git, dir string, env []string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), git, "-c", "core.askPass=", "credential", "fill")
	cmd.Dir = dir
	cmd.Env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "GIT_CEILING_DIRECTORIES="+dir)
	cmd.Stdin = strings.NewReader("protocol=https\nhost=example.com\n\n")
	_ = cmd.Run() // it fails because there is no password
}
