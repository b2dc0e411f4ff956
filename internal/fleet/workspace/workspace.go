// Package workspace prepares the directory that a task works in, and finds out what the task changed there. Whatever it runs besides
// the task is git, with a repository that the task cannot reach: the task's own repository could make git run anything.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/process"
)

// Options say how a workspace is prepared.
type Options struct {
	// Root is a directory of the task's own. Nothing else is in it.
	Root string
	// Environ is the environment of the worker. git gets the part of it that it needs to reach repositories.
	Environ []string
	// LocalGit permits repositories on the worker's own disk.
	LocalGit bool
	// Archive copies the packed directory of the task.
	Archive func(ctx context.Context, w io.Writer) error
}

// Workspace is a prepared directory.
type Workspace struct {
	// Dir is the directory that the task works in. The task can change everything in it.
	Dir string
	// Hash is the commit or the SHA-256 of the archive that the directory was made from; empty for an empty directory.
	Hash string

	o Options
	// base is the tree that Dir began with, as git names it.
	base string
	// repo reports whether the private repository exists.
	repo bool
	// print is the fingerprint of Dir when it was ready.
	print string
	// patch is the last patch, of the workspace with the fingerprint patched.
	patch   []byte
	patched string
}

// emptyTree is git's name of a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// Prepare makes the workspace of a task.
func Prepare(ctx context.Context, w fleet.Workspace, o Options) (*Workspace, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	s := &Workspace{Dir: filepath.Join(o.Root, "workspace"), o: o, base: emptyTree}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("preparing the workspace: %w", err)
	}
	var err error
	switch {
	case w.Git != "":
		err = s.clone(ctx, w)
	case w.Archive != "":
		err = s.unpack(ctx, w.Archive)
	}
	if err != nil {
		return nil, err
	}
	s.print, err = fingerprint(s.Dir)
	return s, err
}

// private returns the directory of the repository that the task cannot reach.
func (s *Workspace) private() string { return filepath.Join(s.o.Root, "base.git") }

// clone fills the workspace from a repository. The commit is fetched into the private repository first.
func (s *Workspace) clone(ctx context.Context, w fleet.Workspace) error {
	if w.Local() && !s.o.LocalGit {
		return fmt.Errorf("cloning %s: this worker does not clone from its own disk; --local-git permits it", w.Git)
	}
	ref := w.Ref
	if ref == "" {
		ref = "HEAD"
	}
	if err := s.init(); err != nil {
		return err
	}
	fail := func(err error) error { return fmt.Errorf("cloning %s at %s: %w", w.Git, ref, err) }
	if _, err := s.git(ctx, fetching, "fetch", "--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules", "--", w.Git, ref); err != nil {
		return fail(err)
	}
	out, err := s.git(ctx, private, "rev-parse", "--verify", "FETCH_HEAD^{commit}")
	if err != nil {
		return fail(err)
	}
	s.Hash = strings.TrimSpace(string(out))
	if out, err = s.git(ctx, private, "rev-parse", "--verify", s.Hash+"^{tree}"); err != nil {
		return fail(err)
	}
	s.base = strings.TrimSpace(string(out))
	// The task gets a repository of its own, so that it can use git. Nobody else runs git there once the task has begun.
	for _, args := range [][]string{
		{"init", "--quiet", "--template="},
		{"fetch", "--quiet", "--depth=1", s.private(), s.Hash},
		{"checkout", "--quiet", "--detach", "FETCH_HEAD"},
	} {
		if _, err := s.git(ctx, inside, args...); err != nil {
			return fail(err)
		}
	}
	_, err = s.git(ctx, private, "read-tree", s.base)
	return err
}

// unpack fills the workspace from a packed directory.
func (s *Workspace) unpack(ctx context.Context, digest string) (err error) {
	path := filepath.Join(s.o.Root, "archive")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("unpacking the workspace: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(path)) }()
	if err := s.o.Archive(ctx, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := Unpack(f, s.Dir); err != nil {
		return fmt.Errorf("unpacking the workspace: %w", err)
	}
	s.Hash = digest
	if err := s.init(); err != nil {
		return err
	}
	s.base, err = s.tree(ctx)
	return err
}

// init creates the private repository, once. These four are all that git needs.
func (s *Workspace) init() error {
	if s.repo {
		return nil
	}
	err := os.MkdirAll(filepath.Join(s.private(), "objects"), 0o700)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.private(), "refs"), 0o700)
	}
	for name, content := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(s.private(), name), []byte(content), 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("preparing the workspace: %w", err)
	}
	s.repo = true
	return nil
}

// where says in which repository git works.
type where int

const (
	// private is the private repository, with the workspace as its tree.
	private where = iota
	// fetching is the private repository, with access to other repositories.
	fetching
	// inside is the repository of the workspace, before the task begins.
	inside
	// nowhere is no repository, with access to other repositories.
	nowhere
)

// remote reports whether git reaches other repositories.
func (w where) remote() bool { return w == fetching || w == nowhere }

const (
	// gitTime is how long git may take for anything but fetching. fetchTime is for fetching.
	gitTime   = 5 * time.Minute
	fetchTime = 30 * time.Minute
)

// git runs git and returns its output.
func (s *Workspace) git(ctx context.Context, at where, args ...string) ([]byte, error) {
	return s.gitInput(ctx, at, nil, args...)
}

func (s *Workspace) gitInput(ctx context.Context, at where, in io.Reader, args ...string) ([]byte, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("looking for git, which this workspace needs: %w", err)
	}
	limit := gitTime
	if at.remote() {
		limit = fetchTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("git %s took more than %s", args[0], limit))
	defer cancel()
	out := &process.Head{Max: fleet.MaxBlob + 1}
	words := &process.Tail{Max: 4 << 10}
	err = process.Run(ctx, process.Spec{
		// Only fetching starts other programs.
		Path: path, Args: append([]string{"git", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "core.autocrlf=false", "-c", "gc.auto=0", "-c", "advice.detachedHead=false", "-c", "advice.addEmbeddedRepo=false"}, args...),
		Dir: s.Dir, Env: s.environ(at), Stdin: in, Stdout: out, Stderr: words, Mark: Mark, Orderly: !at.remote(), Guard: at.remote(),
	})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(words.String()))
	}
	data, dropped := out.Kept()
	if dropped > 0 || len(data) > fleet.MaxBlob {
		return nil, &TooLargeError{What: "the patch of the workspace", Limit: fleet.MaxBlob}
	}
	return data, nil
}

// Mark is the variable by which the processes of workers are found.
const Mark = "AURA_FLEET"

// TooLargeError means that a task left more than is brought back.
type TooLargeError struct {
	What  string
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s has more than %d MiB, which is the limit", e.What, e.Limit>>20)
}

// passed are the variables that git needs to reach repositories.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy", "SYSTEMROOT", "TMPDIR"}

// environ returns the environment of git. Only fetching reads the user's configuration, which has the credentials.
func (s *Workspace) environ(at where) []string {
	out := []string{"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "SSH_ASKPASS=true", "LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0"}
	if s.o.LocalGit || at == inside {
		out = append(out, "GIT_ALLOW_PROTOCOL=https:http:ssh:file")
	} else {
		out = append(out, "GIT_ALLOW_PROTOCOL=https:http:ssh")
	}
	switch at {
	case inside:
	case nowhere:
		// This is no repository, which keeps git from looking for one, whose configuration could name programs.
		out = append(out, "GIT_DIR="+os.DevNull)
	case private, fetching:
		out = append(out, "GIT_DIR="+s.private(), "GIT_WORK_TREE="+s.Dir)
	}
	if !at.remote() {
		out = append(out, "GIT_CONFIG_GLOBAL="+os.DevNull)
	} else {
		out = append(out, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	for _, name := range passed {
		for _, entry := range s.o.Environ {
			if strings.HasPrefix(entry, name+"=") && (at.remote() || name == "PATH" || name == "SYSTEMROOT") {
				out = append(out, entry)
			}
		}
	}
	return out
}

// Resolve returns the commit that a ref of a repository names now.
func Resolve(ctx context.Context, w fleet.Workspace, environ []string) (string, error) {
	if err := w.Check(); err != nil {
		return "", err
	}
	if fleet.IsCommit(w.Ref) {
		return w.Ref, nil
	}
	ref := w.Ref
	if ref == "" {
		ref = "HEAD"
	}
	s := &Workspace{o: Options{Environ: environ, LocalGit: true}, Dir: filepath.VolumeName(os.TempDir()) + string(filepath.Separator)}
	out, err := s.git(ctx, nowhere, "ls-remote", "--quiet", "--", w.Git, ref, ref+"^{}")
	if err != nil {
		return "", fmt.Errorf("asking %s for %s: %w", w.Git, ref, err)
	}
	// The last line is the commit of an annotated tag, if there is one.
	found := ""
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		commit, name, ok := strings.Cut(line, "\t")
		if ok && (name == ref || strings.HasSuffix(name, "/"+ref) || strings.HasSuffix(name, "^{}")) {
			found = commit
		}
	}
	if !fleet.IsCommit(found) {
		return "", fmt.Errorf("%s has no branch or tag %s", w.Git, ref)
	}
	return found, nil
}
