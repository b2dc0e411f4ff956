// Package workspace prepares the directory that a task works in, and finds out what the task changed there. Git compares and fetches in
// a repository that the task cannot reach. It never looks at the files of a task: aura reads and writes them itself, because what a task
// leaves there could make git run anything.
package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/idelchi/aura/internal/fleet"
	"github.com/idelchi/aura/internal/system/gitcmd"
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
	// base is the tree that Dir began with.
	base objectID
	// tracked are the files of base, trackedBelow their directories.
	tracked, trackedBelow map[string]bool
	// files is what was stored last, by path with slashes.
	files map[string]file
	// objects writes to the private repository; nil until it exists.
	objects *objects
	// print is the fingerprint of Dir when it was ready.
	print string
	// patch is the last patch, of the workspace with the fingerprint patched.
	patch   []byte
	patched string
}

// Prepare makes the workspace of a task.
func Prepare(ctx context.Context, w fleet.Workspace, o Options) (*Workspace, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	s := &Workspace{Dir: filepath.Join(o.Root, "workspace"), o: o}
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
	fetch := gitcmd.Job{
		Args:       []string{"fetch", "--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules", "--", w.Git, ref},
		Repository: s.private(), Settings: gitcmd.FetchSettings, LocalURLs: s.o.LocalGit,
	}
	if _, err := s.runGit(ctx, fetchTime, fetch); err != nil {
		return fail(err)
	}
	out, err := s.git(ctx, "rev-parse", "--verify", "FETCH_HEAD^{commit}")
	if err != nil {
		return fail(err)
	}
	s.Hash = strings.TrimSpace(string(out))
	// The task gets a repository of its own, so that it can use git. Nobody else runs git there once the task has begun.
	for _, args := range [][]string{
		{"init", "--quiet", "--template="},
		{"fetch", "--quiet", "--depth=1", "--no-tags", s.private(), s.Hash},
		{"checkout", "--quiet", "--detach", "FETCH_HEAD"},
	} {
		job := gitcmd.Job{Args: args, Repository: filepath.Join(s.Dir, ".git"), NewTree: s.Dir, LocalURLs: true}
		if _, err := s.runGit(ctx, gitTime, job); err != nil {
			return fail(err)
		}
	}
	if err := s.listTree(ctx, s.Hash); err != nil {
		return fail(err)
	}
	if err := s.begin(ctx); err != nil {
		return fail(err)
	}
	return nil
}

// listTree makes the files of a commit known, so that they are not stored again, and makes them tracked, even if they are ignored.
// Submodules are left out.
func (s *Workspace) listTree(ctx context.Context, commit string) error {
	out, err := s.git(ctx, "ls-tree", "-r", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	s.files = map[string]file{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, _ := strings.Cut(line, "\t")
		words := strings.Fields(about)
		if len(words) != 3 || words[1] != "blob" {
			continue
		}
		id, err := parseID(words[2])
		if err != nil {
			return err
		}
		s.objects.known[id] = true
		s.files[name] = file{mode: words[0], id: id}
	}
	s.track()
	return nil
}

// begin makes what the workspace holds now its beginning.
func (s *Workspace) begin(ctx context.Context) error {
	var err error
	if s.base, err = s.store(ctx); err == nil {
		s.track()
	}
	return err
}

// beginEmpty makes a workspace that began empty ready for comparisons. Many tasks change nothing, and need no repository.
func (s *Workspace) beginEmpty() error {
	if s.objects != nil {
		return nil
	}
	err := s.init()
	if err == nil {
		s.base, err = s.objects.putTree(nil)
	}
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
	return s.begin(ctx)
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
	s := &Workspace{o: Options{Environ: environ}}
	out, err := s.runGit(ctx, fetchTime, gitcmd.Job{
		Args: []string{"ls-remote", "--quiet", "--", w.Git, ref, ref + "^{}"}, Settings: gitcmd.FetchSettings, LocalURLs: true,
	})
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
