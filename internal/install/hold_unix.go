//go:build unix

package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// hold waits until nobody else holds the directory; if somebody does, it says so first. The system releases it when its holder
// dies. A directory that was removed meanwhile is fs.ErrNotExist.
func hold(ctx context.Context, dir string, waiting func()) (release func() error, err error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	if err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB); errors.Is(err, syscall.EWOULDBLOCK) {
		waiting()
		done := make(chan error, 1)
		go func() { done <- flock(f, syscall.LOCK_EX) }()
		select {
		case <-ctx.Done():
			// Whoever waits in vain gives the directory back as soon as it has it.
			go func() {
				<-done
				_ = f.Close()
			}()
			return nil, context.Cause(ctx)
		case err = <-done:
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
