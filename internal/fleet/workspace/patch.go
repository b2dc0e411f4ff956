package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	patch, err := s.difference(ctx)
	if err != nil {
		return nil, fmt.Errorf("finding the changes of the workspace: %w", err)
	}
	s.patched, s.patch = now, patch
	return patch, nil
}

// difference stores what the workspace holds now, and compares it with what it began with.
func (s *Workspace) difference(ctx context.Context) ([]byte, error) {
	if err := s.beginEmpty(); err != nil {
		return nil, err
	}
	tree, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	return s.compare(ctx, s.base, tree)
}
