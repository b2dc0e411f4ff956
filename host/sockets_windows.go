package host

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/windows"

	"github.com/idelchi/aura/internal/base/lock"
)

// noSockets reports whether an error means that this system has no Unix sockets: Windows before 10, and wine.
func noSockets(err error) bool { return errors.Is(err, windows.WSAEAFNOSUPPORT) }

// removeLocked removes a directory with the lock file in it. Windows does not remove an open file, so the lock is released before.
func removeLocked(dir string, l *lock.Lock) error {
	err := l.Release()
	if os.RemoveAll(dir) == nil {
		return err
	}
	return errors.Join(err, removeEach(dir))
}

// removeEach removes a directory in the old way, entry by entry: wine does not know the new one, which os.RemoveAll takes.
func removeEach(dir string) error {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		paths = append(paths, path)
		return err
	})
	for _, path := range slices.Backward(paths) {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
