package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/base/files"
	"github.com/idelchi/aura/internal/base/lock"
)

// ErrOpen means that a running aura process has the session open.
var ErrOpen = errors.New("another aura has this session open")

// hold takes the lock of a session. It returns ErrOpen if an aura process has the session open.
func hold(path string) (*lock.Lock, error) {
	held, err := lock.TryContent(path)
	if errors.Is(err, lock.ErrHeld) {
		err = ErrOpen
	}
	return held, err
}

// IsOpen reports whether a running aura process has a session open.
func IsOpen(path string) bool {
	held, err := hold(path)
	if err == nil {
		err = held.Release()
	}
	return errors.Is(err, ErrOpen)
}

// Remove removes a session. It first removes the directories with the output of the session's tools, then the journal, so that
// a partially removed session is still listed. It fails with ErrOpen if an aura process has the session open.
func Remove(path string, outputs ...string) error {
	held, err := hold(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && isFile(path) {
		return fmt.Errorf("removing session %s: %w", idOf(path), err)
	}
	err = nil
	for _, dir := range outputs {
		err = errors.Join(err, RemoveOutput(dir))
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err := errors.Join(err, held.Release()); err != nil {
		return fmt.Errorf("removing session %s: %w", idOf(path), err)
	}
	return nil
}

// isFile reports whether a journal is a regular file. Any other kind of file at the path is not held open by a session.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// RemoveOutput removes a directory that tools have written to. Tools may have left directories in it that are not readable.
func RemoveOutput(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, opening := files.OpenRoot(filepath.Dir(dir))
	if opening != nil {
		return err
	}
	open(root, filepath.Base(dir))
	return errors.Join(os.RemoveAll(dir), root.Close())
}

// open makes a directory below a root, and the directories in it, accessible to their owner. It follows no link out of the
// root. It ignores errors: the caller's removal reports what could not be opened.
func open(root *os.Root, dir string) {
	if root.Chmod(dir, 0o700) != nil {
		return
	}
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if err != nil {
		return
	}
	for _, e := range entries {
		if e.IsDir() {
			open(root, filepath.Join(dir, e.Name()))
		}
	}
}

// Size returns the total size of the files below paths, in bytes.
func Size(paths ...string) int64 {
	var total int64
	for _, path := range paths {
		// Files that cannot be read are not counted.
		_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // the rest still counts
			}
			if !e.Type().IsRegular() {
				return nil
			}
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
			return nil
		})
	}
	return total
}
