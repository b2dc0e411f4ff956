package sandbox_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/idelchi/aura/internal/system/sandbox"
)

// gitSettings is the configuration of the repository in the following tests.
const gitSettings = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n[branch \"main\"]\n\tremote = origin\n"

// gitScene is a repository whose settings have a private copy.
type gitScene struct {
	grants       *sandbox.Grants
	policy       sandbox.Policy
	config, copy string
}

func newGitScene(t *testing.T) gitScene {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(base, "work")
	s := gitScene{config: filepath.Join(work, ".git", "config")}
	if err := os.MkdirAll(filepath.Dir(s.config), 0o755); err != nil {
		t.Fatal(err)
	}
	s.grants = sandbox.GrantsIn(work)
	t.Cleanup(s.grants.Close)
	writeFile(t, s.config, gitSettings)
	place := sandbox.Place{Workdir: work, Temp: filepath.Join(base, "tmp"), Copies: filepath.Join(base, "copies", "one")}
	s.policy = s.grants.Open(sandbox.Default(place, sandbox.KindShell))
	if len(s.policy.GitCopies) != 1 || s.policy.GitCopies[0].Path != s.config {
		t.Fatalf("copies: %v", s.policy.GitCopies)
	}
	if s.copy, err = os.Readlink(s.policy.GitCopies[0].Link); err != nil {
		t.Fatal(err)
	}
	return s
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSyncGit changes the copy of a repository's settings as confined code can, and looks at what aura makes of it. Afterwards the copy is
// always equal to the file.
func TestSyncGit(t *testing.T) {
	t.Parallel()
	replaced := func(make func(path string) error) func(*testing.T, gitScene) {
		return func(t *testing.T, s gitScene) {
			t.Helper()
			if err := os.Remove(s.copy); err != nil {
				t.Fatal(err)
			}
			if err := make(s.copy); err != nil {
				t.Fatal(err)
			}
		}
	}
	added := func(text string) func(*testing.T, gitScene) {
		return func(t *testing.T, s gitScene) { t.Helper(); writeFile(t, s.copy, gitSettings+text) }
	}
	const upstream = "[branch \"x\"]\n\tremote = origin\n"
	rows := map[string]struct {
		act func(*testing.T, gitScene)
		// want is the content of the file, or gitSettings. said is part of what is reported.
		want, said string
	}{
		"nothing":  {act: func(*testing.T, gitScene) {}},
		"upstream": {act: added(upstream), want: gitSettings + upstream},
		"shorter": {
			act: func(t *testing.T, s gitScene) {
				t.Helper()
				writeFile(t, s.copy, strings.Split(gitSettings, "[branch")[0])
			},
			want: strings.Split(gitSettings, "[branch")[0],
		},
		"the user": {
			act:  func(t *testing.T, s gitScene) { t.Helper(); writeFile(t, s.config, gitSettings+"[user]\n") },
			want: gitSettings + "[user]\n",
		},
		"both": {
			act: func(t *testing.T, s gitScene) {
				t.Helper()
				writeFile(t, s.config, gitSettings+"[user]\n")
				writeFile(t, s.copy, gitSettings+upstream)
			},
			want: gitSettings + "[user]\n" + upstream,
		},
		"a program":      {act: added("[core]fsmonitor=x\n"), said: `"core.fsmonitor" in `},
		"many":           {act: added("[alias]a=x\nb=x\nc=x\nd=x\n"), said: `"alias.a", "alias.b", "alias.c" and 1 more`},
		"the odd name":   {act: added("[branch \"a\nb\"]remote=.\n"), said: "the syntax is not Git's"},
		"larger":         {act: added("#" + strings.Repeat("x", 1<<20)), said: "larger than"},
		"removed":        {act: replaced(func(string) error { return nil }), said: "removed in the sandbox"},
		"a link":         {act: replaced(func(path string) error { return os.Symlink("/etc/passwd", path) }), said: "a symbolic link"},
		"a pipe":         {act: replaced(func(path string) error { return unix.Mkfifo(path, 0o600) }), said: "not a regular file"},
		"a directory":    {act: replaced(func(path string) error { return os.MkdirAll(filepath.Join(path, "x"), 0o700) }), said: "not a regular file"},
		"a link to come": {act: func(t *testing.T, s gitScene) { t.Helper(); added(upstream)(t, s); symlink(t, s.config, s.copy+".new") }, want: gitSettings + upstream},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newGitScene(t)
			before, err := os.Stat(s.config)
			if err != nil {
				t.Fatal(err)
			}
			row.act(t, s)
			var said []string
			for _, refused := range s.grants.SyncGit() {
				said = append(said, refused.Text("Bash"))
			}
			if row.want == "" {
				row.want = gitSettings
			}
			if got := readFile(t, s.config); got != row.want {
				t.Errorf("the file is\n%s\nwant\n%s", got, row.want)
			}
			if got := readFile(t, s.copy); got != row.want {
				t.Errorf("the copy is\n%s\nwant\n%s", got, row.want)
			}
			if got := strings.Join(said, "\n"); !strings.Contains(got, row.said) || row.said == "" && got != "" {
				t.Errorf("reported %q, want %q", got, row.said)
			}
			// The kernel drops a mount over a file that another one replaces.
			if after, err := os.Stat(s.config); err != nil || !os.SameFile(before, after) {
				t.Errorf("the file is another one: %v", err)
			}
			if again := s.grants.SyncGit(); len(again) > 0 {
				t.Errorf("the next look reports %v", again)
			}
		})
	}
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestSyncGitLocked changes the copy while a lock exists. A lock of the file is the user's, and aura waits for it. A lock of the copy that two looks
// find is from a process that was killed.
func TestSyncGitLocked(t *testing.T) {
	t.Parallel()
	const upstream = "[branch \"x\"]\n\tremote = origin\n"
	s := newGitScene(t)
	writeFile(t, s.copy, gitSettings+upstream)
	writeFile(t, s.config+".lock", "")
	if said := s.grants.SyncGit(); len(said) != 1 || !strings.Contains(said[0].Text("Bash"), "the file is locked") {
		t.Errorf("reported %v", said)
	}
	if said := s.grants.SyncGit(); len(said) != 0 || readFile(t, s.config) != gitSettings {
		t.Errorf("reported again: %v", said)
	}
	if err := os.Remove(s.config + ".lock"); err != nil {
		t.Fatal(err)
	}
	writeFile(t, s.copy+".lock", "")
	for i, want := range []string{gitSettings, gitSettings + upstream} {
		if said := s.grants.SyncGit(); len(said) != 0 || readFile(t, s.config) != want {
			t.Errorf("look %d: %v\n%s", i, said, readFile(t, s.config))
		}
	}
}

// TestGitCopiesDiffer opens policies with different rights. None of them shares a copy with another, and one that starts no programs has none.
func TestGitCopiesDiffer(t *testing.T) {
	t.Parallel()
	s := newGitScene(t)
	place := sandbox.Place{Workdir: filepath.Dir(filepath.Dir(s.config)), Copies: filepath.Dir(filepath.Dir(s.copy))}
	for kind, want := range map[sandbox.Kind]int{sandbox.KindShell: 1, sandbox.KindGuest: 1, sandbox.KindPlugin: 0, sandbox.KindFiles: 0, sandbox.KindBuild: 0} {
		copies := s.grants.Open(sandbox.Default(place, kind)).GitCopies
		if len(copies) != want || want > 0 && copies[0].Link == s.policy.GitCopies[0].Link {
			t.Errorf("%s: %v", kind, copies)
		}
	}
}

// TestGitClosed opens policies for repositories whose settings get a copy, and for others that are read-only as a whole instead: Git must fail
// before it changes a branch.
func TestGitClosed(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		make func(t *testing.T, config string)
		// why is part of the rule that the refusal names; empty if there is a copy.
		why string
	}{
		"usual":            {make: func(*testing.T, string) {}},
		"carriage returns": {make: func(t *testing.T, config string) { t.Helper(); writeFile(t, config, "[core]\r\n\tbare\r\n") }},
		"large":            {make: func(t *testing.T, config string) { t.Helper(); writeFile(t, config, "#"+strings.Repeat("x", 2<<20)) }},
		"a link inside": {make: func(t *testing.T, config string) {
			t.Helper()
			writeFile(t, filepath.Join(filepath.Dir(config), "other"), gitSettings)
			relink(t, "other", config)
		}},
		"too large": {make: func(t *testing.T, config string) { t.Helper(); writeFile(t, config, "#"+strings.Repeat("x", 4<<20)) }, why: "larger than"},
		"hard links": {make: func(t *testing.T, config string) {
			t.Helper()
			if err := os.Link(config, config+".old"); err != nil {
				t.Fatal(err)
			}
		}, why: "it has several names"},
		"another syntax": {make: func(t *testing.T, config string) { t.Helper(); writeFile(t, config, "[core") }, why: "the syntax is not Git's"},
		"a link outside": {make: func(t *testing.T, config string) {
			t.Helper()
			other := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(config))), "other")
			writeFile(t, other, gitSettings)
			relink(t, other, config)
		}, why: "a symbolic link leads from"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			work := filepath.Join(base, "work")
			config := filepath.Join(work, ".git", "config")
			if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, config, gitSettings)
			row.make(t, config)
			grants := sandbox.GrantsIn(work)
			t.Cleanup(grants.Close)
			place := sandbox.Place{Workdir: work, Temp: filepath.Join(base, "tmp"), Copies: filepath.Join(base, "copies", "one")}
			policy := grants.Open(sandbox.Default(place, sandbox.KindShell))
			said := sandbox.Check(policy, work, sandbox.Access{Write: []string{".git/refs/heads/main"}})
			if row.why == "" && (said != nil || len(policy.GitCopies) != 1) {
				t.Errorf("%d copies, %v", len(policy.GitCopies), said)
			}
			if row.why != "" && (said == nil || !strings.Contains(said.Error(), row.why) || len(policy.GitCopies) != 0) {
				t.Errorf("%d copies, %v, want %q", len(policy.GitCopies), said, row.why)
			}
		})
	}
}

func relink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	symlink(t, target, path)
}
