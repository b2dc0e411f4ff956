//go:build unix

package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"
)

// TryContent is like Try, for a file that has other content. The lock does not prevent reading or writing the file.
func TryContent(path string) (*Lock, error) { return Try(path, 0) }

// WaitDir is like Wait, for a directory, which must exist. It fails with fs.ErrNotExist if the directory was removed in the
// meantime.
func WaitDir(ctx context.Context, dir string, waiting func()) (*Lock, error) {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return acquire(ctx, flock.New(path, flock.SetFlag(os.O_RDONLY|syscall.O_DIRECTORY)), waiting)
}

// Create creates a file that is locked from the moment it appears at path. So a lock file that is not locked belongs to a dead
// process.
func Create(path string) (*Lock, error) {
	l, err := Try(path+".new", os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), l.Release())
	}
	return l, nil
}
