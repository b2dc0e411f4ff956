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

// TryContent is Try for a file that holds more than the lock. The lock keeps nobody from reading or writing it.
func TryContent(path string) (*Lock, error) { return Try(path, 0) }

// WaitDir is Wait for a directory, which must exist. One that was removed in the meantime is fs.ErrNotExist.
func WaitDir(ctx context.Context, dir string, waiting func()) (*Lock, error) {
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	return take(ctx, flock.New(path, flock.SetFlag(os.O_RDONLY|syscall.O_DIRECTORY)), waiting)
}

// Create makes a file that is locked from the moment it appears at path: a lock file that is free belongs to a dead process.
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
