package lock

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// TryContent is Try for a file that holds more than the lock. Here a locked file cannot be read, so the lock is a file beside it.
func TryContent(path string) (*Lock, error) {
	return companion(take(context.Background(), beside(path+".lock"), nil))
}

// WaitDir is Wait for a directory, which must exist. Here a directory cannot be locked, so the lock is a file in it.
func WaitDir(ctx context.Context, dir string, waiting func()) (*Lock, error) {
	return companion(take(ctx, beside(filepath.Join(dir, ".aura-lock")), waiting))
}

// Create makes a locked file. Here an open file cannot be renamed, so for a moment it exists without its lock.
func Create(path string) (*Lock, error) { return Try(path, os.O_CREATE) }

func beside(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR)) }

// companion marks a file that exists for the lock alone.
func companion(l *Lock, err error) (*Lock, error) {
	if l != nil {
		l.remove = true
	}
	return l, err
}
