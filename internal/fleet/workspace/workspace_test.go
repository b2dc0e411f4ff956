package workspace_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/fleet/workspace"
	"github.com/idelchi/aura/internal/lab/testneed"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func prepare(t *testing.T, w fleet.Workspace, archive []byte) (*workspace.Workspace, error) {
	t.Helper()
	return workspace.Prepare(t.Context(), w, workspace.Options{
		Root: t.TempDir(), Environ: os.Environ(), LocalGit: true,
		Archive: func(_ context.Context, to io.Writer) error { _, err := to.Write(archive); return err },
	})
}

// repository makes a repository with a file and returns its URL and its commit.
func repository(t *testing.T) (url, commit string) {
	t.Helper()
	testneed.Program(t, "git")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.go"), "package main\n")
	run := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run("init", "--quiet", "--initial-branch=main")
	run("add", ".")
	run("commit", "--quiet", "-m", "one")
	run("tag", "-a", "v1", "-m", "tag")
	return "file://" + dir, run("rev-parse", "HEAD")
}

func TestGit(t *testing.T) {
	t.Parallel()
	url, commit := repository(t)
	for _, ref := range []string{"", "main", "v1", commit} {
		s, err := prepare(t, fleet.Workspace{Git: url, Ref: ref}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(filepath.Join(s.Dir, "main.go")); err != nil || string(data) != "package main\n" || s.Hash != commit {
			t.Errorf("ref %q: %q, %v, commit %s", ref, data, err, s.Hash)
		}
		if now, err := workspace.Resolve(t.Context(), fleet.Workspace{Git: url, Ref: ref}, os.Environ()); err != nil || now != commit {
			t.Errorf("ref %q is %s, %v", ref, now, err)
		}
		// The task can use git.
		if out, err := exec.Command("git", "-C", s.Dir, "status", "--short").CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("git status: %v: %s", err, out)
		}
	}
}

func TestGitRefuses(t *testing.T) {
	t.Parallel()
	url, _ := repository(t)
	for name, tt := range map[string]struct {
		w    fleet.Workspace
		want string
	}{
		"a ref that is gone":    {fleet.Workspace{Git: url, Ref: "gone"}, "cloning " + url + " at gone"},
		"a commit that is gone": {fleet.Workspace{Git: url, Ref: strings.Repeat("0", 39) + "1"}, "cloning"},
		"no repository":         {fleet.Workspace{Git: "file://" + t.TempDir()}, "cloning"},
		"a helper":              {fleet.Workspace{Git: "ext::sh"}, "names no repository"},
	} {
		if _, err := prepare(t, tt.w, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := workspace.Prepare(t.Context(), fleet.Workspace{Git: url}, workspace.Options{Root: t.TempDir(), Environ: os.Environ()})
	if err == nil || !strings.Contains(err.Error(), "--local-git") {
		t.Errorf("the worker's own disk: %v", err)
	}
}

// change makes changes of all kinds.
func change(t *testing.T, dir string) {
	t.Helper()
	write(t, filepath.Join(dir, "new", "file.txt"), "new\n")
	write(t, filepath.Join(dir, "binary"), "\x00\x01\xff")
	if err := os.Symlink("new/file.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tool"), []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // it shall be executable
		t.Fatal(err)
	}
}

// TestPatch brings the changes of one workspace to another one.
func TestPatch(t *testing.T) {
	t.Parallel()
	url, _ := repository(t)
	var packed bytes.Buffer
	source := t.TempDir()
	write(t, filepath.Join(source, "main.go"), "package main\n")
	digest, err := workspace.Pack(source, &packed)
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]fleet.Workspace{"none": {}, "git": {Git: url}, "dir": {Archive: digest}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, err := prepare(t, w, packed.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if patch, err := from.Patch(t.Context()); err != nil || len(patch) > 0 {
				t.Fatalf("the patch of no change: %s, %v", patch, err)
			}
			change(t, from.Dir)
			if name != "none" {
				write(t, filepath.Join(from.Dir, "main.go"), "package changed\n")
			}
			write(t, filepath.Join(filepath.Dir(from.Dir), "base.git", "index.lock"), "") // as of a git that was killed
			patch, err := from.Patch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			to, err := prepare(t, w, packed.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if err := to.Apply(t.Context(), patch); err != nil {
				t.Fatalf("%v\n%s", err, patch)
			}
			again, err := to.Patch(t.Context())
			if err != nil || !bytes.Equal(patch, again) {
				t.Errorf("the patch of the copy is different: %v\n%s\n%s", err, patch, again)
			}
			if info, err := os.Stat(filepath.Join(to.Dir, "tool")); err != nil || info.Mode()&0o100 == 0 {
				t.Errorf("the tool is %v, %v", info, err)
			}
		})
	}
}

// TestHostileWorkspace checks that the worker's git runs nothing that the task left.
func TestHostileWorkspace(t *testing.T) {
	t.Parallel()
	url, _ := repository(t)
	s, err := prepare(t, fleet.Workspace{Git: url}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "ran")
	evil := "#!/bin/sh\ntouch " + mark + "\n"
	for _, dir := range []string{".git", "nested/.git"} {
		repo := filepath.Join(s.Dir, dir)
		if dir != ".git" {
			if out, err := exec.Command("git", "init", "--quiet", filepath.Dir(repo)).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			write(t, filepath.Join(filepath.Dir(repo), "f"), "x")
			for _, args := range [][]string{{"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "x"}} {
				if out, err := exec.Command("git", append([]string{"-C", filepath.Dir(repo)}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
		}
		script := filepath.Join(repo, "evil.sh")
		if err := os.WriteFile(script, []byte(evil), 0o755); err != nil { //nolint:gosec // it shall be executable
			t.Fatal(err)
		}
		config, err := os.OpenFile(filepath.Join(repo, "config"), os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := config.WriteString("[core]\n\tfsmonitor = " + script + "\n\thooksPath = " + repo + "\n[filter \"e\"]\n\tclean = " + script + "\n[diff \"e\"]\n\ttextconv = " + script + "\n\tcommand = " + script + "\n"); err != nil {
			t.Fatal(err)
		}
		if err := config.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(s.Dir, ".gitattributes"), "* filter=e diff=e\n")
	for i := range 3 {
		write(t, filepath.Join(s.Dir, "main.go"), strings.Repeat("x", i+1))
		write(t, filepath.Join(s.Dir, "nested", "f"), strings.Repeat("y", i+1))
		if _, err := s.Patch(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("the worker's git ran a program of the task")
	}
}

func TestHostilePatch(t *testing.T) {
	t.Parallel()
	testneed.Program(t, "git")
	for name, patch := range map[string]string{
		"outside": "diff --git a/../out b/../out\nnew file mode 100644\n--- /dev/null\n+++ b/../out\n@@ -0,0 +1 @@\n+x\n",
		"hook":    "diff --git a/.git/hooks/x b/.git/hooks/x\nnew file mode 100755\n--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n",
		"link":    "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/tmp\n\\ No newline at end of file\ndiff --git a/l/out b/l/out\nnew file mode 100644\n--- /dev/null\n+++ b/l/out\n@@ -0,0 +1 @@\n+x\n",
		"noise":   "nothing of use",
		"gitlink": "diff --git a/sub b/sub\nnew file mode 160000\nindex 0000000000000000000000000000000000000000..1111111111111111111111111111111111111111\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit 1111111111111111111111111111111111111111\n",
		// The file has two gigabytes by its own account.
		"size":    "diff --git a/b b/b\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..1111111111111111111111111111111111111111\nGIT binary patch\nliteral 2147483647\nIcmZQzU|?imU|?hb00CSB5dZ)H\n\nliteral 0\nHcmV?d00001\n\n",
		"changed": "diff --git a/f b/f\nindex 1111111111111111111111111111111111111111..2222222222222222222222222222222222222222 100644\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-before\n+after\n",
	} {
		s, err := prepare(t, fleet.Workspace{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Apply(t.Context(), []byte(patch)); err == nil {
			t.Errorf("%s: it was applied", name)
		}
		if left, err := os.ReadDir(s.Dir); err != nil || len(left) > 0 {
			t.Errorf("%s: it left %v, %v", name, left, err)
		}
	}
}

func TestPackIsStable(t *testing.T) {
	t.Parallel()
	var first string
	for i := range 2 {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "b", "c.txt"), "c")
		write(t, filepath.Join(dir, "a.txt"), "a")
		write(t, filepath.Join(dir, "secrets.env"), "TOKEN=hidden")
		write(t, filepath.Join(dir, ".git", "config"), "x")
		var packed bytes.Buffer
		digest, err := workspace.Pack(dir, &packed)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && digest != first {
			t.Errorf("the same files have the hashes %s and %s", first, digest)
		}
		first = digest
		to := t.TempDir()
		if err := workspace.Unpack(bytes.NewReader(packed.Bytes()), to); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"b/c.txt": true, "a.txt": true, "secrets.env": false, ".git": false} {
			if _, err := os.Stat(filepath.Join(to, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestPackRefusesLinks(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/etc/passwd", "../x", "a/../../x"} {
		dir := t.TempDir()
		if err := os.Symlink(target, filepath.Join(dir, "l")); err != nil {
			t.Fatal(err)
		}
		if _, err := workspace.Pack(dir, io.Discard); err == nil || !strings.Contains(err.Error(), "outside of the directory") {
			t.Errorf("%s: %v", target, err)
		}
	}
}

func TestHostileArchive(t *testing.T) {
	t.Parallel()
	for name, entries := range map[string][]tar.Header{
		"path":                  {{Name: "../x", Typeflag: tar.TypeReg}},
		"absolute":              {{Name: "/x", Typeflag: tar.TypeReg}},
		"link":                  {{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}},
		"link, up":              {{Name: "d/l", Typeflag: tar.TypeSymlink, Linkname: "../../x"}},
		"device":                {{Name: "d", Typeflag: tar.TypeChar}},
		"hard link":             {{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}},
		"through links":         {{Name: "a", Typeflag: tar.TypeSymlink, Linkname: "b"}, {Name: "b", Typeflag: tar.TypeSymlink, Linkname: "a"}, {Name: "a/x", Typeflag: tar.TypeReg}},
		"twice":                 {{Name: "x", Typeflag: tar.TypeReg}, {Name: "x", Typeflag: tar.TypeReg}},
		"link, later":           {{Name: "x", Typeflag: tar.TypeReg}, {Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}},
		"block device":          {{Name: "d", Typeflag: tar.TypeBlock}},
		"pipe":                  {{Name: "p", Typeflag: tar.TypeFifo}},
		"other case":            {{Name: "x", Typeflag: tar.TypeReg}, {Name: "X", Typeflag: tar.TypeReg}},
		"other case, directory": {{Name: "d/x", Typeflag: tar.TypeReg}, {Name: "D/y", Typeflag: tar.TypeReg}},
		"repository":            {{Name: "d/.git/config", Typeflag: tar.TypeReg}},
		"repository, Windows":   {{Name: ".GIT. /config", Typeflag: tar.TypeReg}},
		"secrets":               {{Name: "d/secrets.env", Typeflag: tar.TypeReg}},
		"size":                  {{Name: "x", Typeflag: tar.TypeReg, Size: fleet.MaxArchive + 1}},
	} {
		var packed bytes.Buffer
		zip := gzip.NewWriter(&packed)
		out := tar.NewWriter(zip)
		for _, h := range entries {
			if err := out.WriteHeader(&h); err != nil {
				t.Fatal(err)
			}
		}
		_ = out.Close() // the content of a file may be missing
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := workspace.Unpack(bytes.NewReader(packed.Bytes()), dir); err == nil {
			t.Errorf("%s: it was unpacked", name)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: it left %v, %v", name, left, err)
		}
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	s, err := prepare(t, fleet.Workspace{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(s.Dir, "a.md"), "a")
	write(t, filepath.Join(s.Dir, "d", "b.md"), "b")
	write(t, filepath.Join(s.Dir, "c.txt"), "c")
	outside := filepath.Join(t.TempDir(), "secret.md")
	write(t, outside, "secret")
	if err := os.Symlink(outside, filepath.Join(s.Dir, "l.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(s.Dir, "dir")); err != nil {
		t.Fatal(err)
	}
	found, notes, err := s.Collect([]string{"**/*.md", "*.md", "dir/*.md", "nothing"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, f.Path+"="+string(f.Data))
	}
	if text := strings.Join(got, " "); text != "a.md=a d/b.md=b" {
		t.Errorf("got %s, notes %v", text, notes)
	}
}
