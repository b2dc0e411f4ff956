package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// hold waits until nobody else holds the directory; if somebody does, it says so first. The system releases it when its holder
// dies.
func hold(ctx context.Context, dir string, waiting func()) (release func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".aura-lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	lock := func(how uint32) error {
		return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|how, 0, 1, 0, &windows.Overlapped{})
	}
	if err = lock(windows.LOCKFILE_FAIL_IMMEDIATELY); errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		waiting()
		done := make(chan error, 1)
		go func() { done <- lock(0) }()
		select {
		case <-ctx.Done():
			go func() {
				<-done
				_ = f.Close()
			}()
			return nil, context.Cause(ctx)
		case err = <-done:
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		err := f.Close()
		// Someone who waits for it keeps it.
		_ = os.Remove(f.Name())
		return err
	}, nil
}
