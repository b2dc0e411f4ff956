package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Fingerprint returns a value that changes when the workspace changes.
func (s *Workspace) Fingerprint() (string, error) { return fingerprint(s.Dir) }

// maxEntries is how many files of a workspace are looked at.
const maxEntries = 1_000_000

// fingerprint hashes the names, sizes and times of the files below a directory, except the repository of the task.
func fingerprint(dir string) (string, error) {
	sum := sha256.New()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if os.IsNotExist(err) || os.IsPermission(err) {
				return nil // it was removed in the meantime, or it is nothing that git could store
			}
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if n++; n > maxEntries {
			return fmt.Errorf("the workspace has more than %d files", maxEntries)
		}
		if d.IsDir() {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it was removed in the meantime
		}
		fmt.Fprintf(sum, "%s\x00%o\x00%d\x00%d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("looking for changes of the workspace: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Patch returns the changes of the workspace since it was prepared, in git's format with binary files. Files that the workspace ignores
// are left out, and so are nested repositories.
func (s *Workspace) Patch(ctx context.Context) ([]byte, error) {
	now, err := fingerprint(s.Dir)
	if err != nil || now == s.print {
		return nil, err
	}
	if now == s.patched {
		return s.patch, nil
	}
	if err := s.init(); err != nil {
		return nil, err
	}
	patch, err := s.diff(ctx)
	if err == nil && bytes.Contains(patch, []byte(nestedMode)) {
		// git would run programs that the configuration of a nested repository names, if it found one in the index later.
		if err = s.dropNested(ctx); err == nil {
			patch, err = s.git(ctx, private, diffArgs(s.base)...)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("finding the changes of the workspace: %w", err)
	}
	s.patched, s.patch = now, patch
	return patch, nil
}

// diff stores what the workspace holds now, and compares it with what it began with. The comparison looks at no file of the workspace.
func (s *Workspace) diff(ctx context.Context) ([]byte, error) {
	if err := s.add(ctx); err != nil {
		return nil, err
	}
	return s.git(ctx, private, diffArgs(s.base)...)
}

func diffArgs(base string) []string {
	return []string{"diff-index", "--cached", "--binary", "--full-index", "--no-ext-diff", "--no-textconv", "--no-renames", "-p", base}
}

// add stores the files of the workspace. A file that cannot be read is left out; git exits with 1 then.
func (s *Workspace) add(ctx context.Context) error {
	// A git that was killed leaves its lock. No other git works in the private repository.
	if err := os.Remove(filepath.Join(s.private(), "index.lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := s.git(ctx, private, "add", "--all", "--ignore-errors", "."); err != nil && !exitedWithOne(err) {
		return err
	}
	return nil
}

// tree stores what the workspace holds now and returns its name.
func (s *Workspace) tree(ctx context.Context) (string, error) {
	if err := s.add(ctx); err != nil {
		return "", err
	}
	if err := s.dropNested(ctx); err != nil {
		return "", err
	}
	out, err := s.git(ctx, private, "write-tree")
	return strings.TrimSpace(string(out)), err
}

func exitedWithOne(err error) bool {
	exit, ok := errors.AsType[*exec.ExitError](err)
	return ok && exit.ExitCode() == 1
}

// nestedMode is the mode of a nested repository in the index.
const nestedMode = "160000"

// dropNested removes nested repositories from the index, so that no later command visits them.
func (s *Workspace) dropNested(ctx context.Context) error {
	out, err := s.git(ctx, private, "ls-files", "--stage", "-z")
	if err != nil {
		return err
	}
	var nested bytes.Buffer
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if !strings.HasPrefix(entry, nestedMode+" ") {
			continue
		}
		if _, path, ok := strings.Cut(entry, "\t"); ok {
			fmt.Fprintf(&nested, "%s\x00", path)
		}
	}
	if nested.Len() == 0 {
		return nil
	}
	_, err = s.gitInput(ctx, private, &nested, "update-index", "--force-remove", "-z", "--stdin")
	return err
}

// Apply makes the changes of a patch. A patch that leads out of the workspace is refused.
func (s *Workspace) Apply(ctx context.Context, patch []byte) error {
	if len(patch) == 0 {
		return nil
	}
	if err := s.init(); err != nil {
		return err
	}
	if _, err := s.gitInput(ctx, private, bytes.NewReader(patch), "apply", "--binary", "--whitespace=nowarn", "-"); err != nil {
		return fmt.Errorf("continuing with the changes of an earlier attempt: %w", err)
	}
	return nil
}
