//go:build unix

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// retry is how often a held directory is tried again. The system can wait for it, but not until a context ends: a wait that was
// given up would still take the directory later, for a moment.
const retry = 20 * time.Millisecond

// hold waits until nobody else holds the directory; if somebody does, it says so first. The system releases it when its holder
// dies. A directory that was removed meanwhile is fs.ErrNotExist.
func hold(ctx context.Context, dir string, waiting func()) (release func() error, err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		waiting()
		again := time.NewTicker(retry)
		defer again.Stop()
		for errors.Is(err, syscall.EWOULDBLOCK) {
			select {
			case <-ctx.Done():
				return nil, errors.Join(context.Cause(ctx), f.Close())
			case <-again.C:
				err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
			}
		}
	}
	if err == nil {
		err = same(f, dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// A process that is being forked has a copy of the descriptor for a moment, which would keep the directory held.
	return func() error { return errors.Join(flock(f, syscall.LOCK_UN), f.Close()) }, nil
}

// flock is the system's call, again if a signal comes between.
func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// same tells whether an open directory is still the one of that name.
func same(f *os.File, dir string) error {
	held, err := f.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !os.SameFile(held, now) {
		return fmt.Errorf("%s was replaced: %w", dir, fs.ErrNotExist)
	}
	return nil
}
