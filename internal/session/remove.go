package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/idelchi/aura/internal/lock"
)

// ErrOpen means that a living aura has the session open.
var ErrOpen = errors.New("another aura has this session open")

// hold takes the lock of a session, which no aura has open then.
func hold(path string) (*lock.Lock, error) {
	held, err := lock.TryContent(path)
	if errors.Is(err, lock.ErrHeld) {
		err = ErrOpen
	}
	return held, err
}

// IsOpen reports whether a living aura has a session open.
func IsOpen(path string) bool {
	held, err := hold(path)
	if err == nil {
		err = held.Release()
	}
	return errors.Is(err, ErrOpen)
}

// Remove removes a session: first the directories with the output of its tools, then its journal, so that one that is removed only
// in part is still listed. It fails with ErrOpen if an aura has the session open.
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

// isFile reports whether a journal is a regular file. What is put in its place has no owner.
func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// RemoveOutput removes a directory that tools have written to. They may have left directories in it that nobody can read.
func RemoveOutput(dir string) error {
	err := os.RemoveAll(dir)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return err
	}
	root, opening := os.OpenRoot(filepath.Dir(dir))
	if opening != nil {
		return err
	}
	open(root, filepath.Base(dir))
	return errors.Join(os.RemoveAll(dir), root.Close())
}

// open makes a directory below a root and those in it accessible to their owner. It leaves the root by no link. What cannot be opened
// is reported by whoever removes it.
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

// Size is how many bytes the files below some paths have.
func Size(paths ...string) int64 {
	var total int64
	for _, path := range paths {
		// What cannot be read counts nothing.
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
