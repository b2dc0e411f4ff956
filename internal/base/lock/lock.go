// Package lock keeps two processes from changing one thing at the same time. The system releases a lock when its holder dies.
package lock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/idelchi/aura/internal/base/files"
)

// ErrHeld means that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// retry is the interval at which a held lock is tried again. The system can wait for a lock, but not until a context ends: a
// canceled wait would still take the lock later, for a moment.
const retry = 20 * time.Millisecond

// Lock is a lock that this process holds. Its owner must release it.
type Lock struct {
	file *flock.Flock
	// remove is set if the file exists only for the lock. Release then removes it.
	remove bool
}

// Try locks the file at path, or fails at once with ErrHeld. It refuses links and irregular files. It creates the file if flag
// is os.O_CREATE.
func Try(path string, flag int) (*Lock, error) {
	if err := probe(path, flag); err != nil {
		return nil, err
	}
	return acquire(context.Background(), flock.New(path, flock.SetFlag(os.O_RDWR)), nil)
}

// Wait locks the file at path, and creates it if it does not exist. If another process holds the lock, Wait calls waiting and
// then waits until the lock is free or ctx ends.
func Wait(ctx context.Context, path string, waiting func()) (*Lock, error) {
	if err := probe(path, os.O_CREATE); err != nil {
		return nil, err
	}
	return acquire(ctx, flock.New(path, flock.SetFlag(os.O_RDWR)), waiting)
}

// probe returns an error if path is a link or not a regular file.
func probe(path string, flag int) error {
	f, err := files.OpenNoFollow(path, flag|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// acquire locks a file or a directory. If waiting is nil, it fails with ErrHeld instead of waiting. It fails with fs.ErrNotExist
// if the file was removed or replaced in the meantime.
func acquire(ctx context.Context, file *flock.Flock, waiting func()) (*Lock, error) {
	taken, err := file.TryLock()
	if err == nil && !taken {
		if waiting == nil {
			return nil, fmt.Errorf("locking %s: %w", file.Path(), ErrHeld)
		}
		waiting()
		if _, err = file.TryLockContext(ctx, retry); err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}
	if err == nil {
		err = same(file)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", file.Path(), err), file.Unlock())
	}
	return &Lock{file: file}, nil
}

// same returns an error if the path no longer names the locked file, or if the path is a link.
func same(file *flock.Flock) error {
	held, err := file.Stat()
	if err != nil {
		return err
	}
	now, err := os.Lstat(file.Path())
	if err != nil {
		return err
	}
	if !os.SameFile(held, now) {
		return fmt.Errorf("it was replaced: %w", fs.ErrNotExist)
	}
	return nil
}

// Release releases the lock. It unlocks before it closes the file: a process that is being forked has a copy of the descriptor
// for a moment, which would keep the lock held. Release does nothing on a nil Lock.
func (l *Lock) Release() error {
	if l == nil {
		return nil
	}
	err := l.file.Unlock()
	if l.remove {
		// A file that another process has open stays.
		_ = os.Remove(l.file.Path())
	}
	return err
}
