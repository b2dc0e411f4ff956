package lock

import (
	"context"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// TryContent is like Try, for a file that has other content. On Windows a locked file cannot be read, so the lock is a separate
// file beside it.
func TryContent(path string) (*Lock, error) {
	return companion(acquire(context.Background(), beside(path+".lock"), nil))
}

// WaitDir is like Wait, for a directory, which must exist. On Windows a directory cannot be locked, so the lock is a file in
// it.
func WaitDir(ctx context.Context, dir string, waiting func()) (*Lock, error) {
	return companion(acquire(ctx, beside(filepath.Join(dir, ".aura-lock")), waiting))
}

// Create creates a locked file. On Windows an open file cannot be renamed, so the file exists without its lock for a moment.
func Create(path string) (*Lock, error) { return Try(path, os.O_CREATE) }

func beside(path string) *flock.Flock { return flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR)) }

// companion marks a lock whose file exists only for the lock.
func companion(l *Lock, err error) (*Lock, error) {
	if l != nil {
		l.remove = true
	}
	return l, err
}
