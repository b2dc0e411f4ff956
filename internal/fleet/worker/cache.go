package worker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/system/state"
)

// Each task has a state directory of its own. What aura computes for every session, such as where Python is and what plugins export, is
// in the cache of that directory. The worker keeps a copy of it, so that only its first task computes it.

// maxCache is the size of the largest cache that the worker keeps, in bytes. It is copied for each task.
const maxCache = 64 << 20

// cache returns the cache directory of the child.
func (t *task) cache() string { return state.Locate(t.state(), "", t.space.Dir).Cache() }

// kept returns the directory of the worker's copy.
func (w *worker) kept() string { return filepath.Join(w.Dir, "cache") }

// warm gives the child what earlier tasks computed. Without it the child computes it again.
func (t *task) warm() {
	t.w.caching.RLock()
	defer t.w.caching.RUnlock()
	_ = copyNew(t.w.kept(), t.cache())
}

// learn keeps what the child computed. A task whose workspace is trusted may run code outside of the sandbox, so nothing is taken from it.
func (t *task) learn() {
	if t.Trust != "" {
		return
	}
	t.w.caching.Lock()
	defer t.w.caching.Unlock()
	_ = copyNew(t.cache(), t.w.kept())
}

// copyNew copies the regular files below a directory that another directory does not have yet. It stops at maxCache.
func copyNew(from, to string) error {
	left := int64(maxCache)
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if left -= info.Size(); left < 0 {
			return fs.SkipAll
		}
		target := filepath.Join(to, name)
		if _, err := os.Lstat(target); err == nil {
			return nil
		}
		return copyFile(path, target, info.Mode().Perm())
	})
}

// copyFile copies a file. The target is complete or does not exist.
func copyFile(from, to string, mode fs.FileMode) error {
	in, err := files.Open(from)
	if err != nil {
		return fmt.Errorf("copying a file of the cache: %w", err)
	}
	defer func() { _ = in.Close() }()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("copying a file of the cache: %w", err)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("copying a file of the cache: %w", err)
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(fmt.Errorf("copying a file of the cache: %w", err), os.Remove(to))
	}
	return nil
}
