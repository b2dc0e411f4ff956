package install

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// hold waits until nobody else holds the directory. The system releases it when its holder dies.
func hold(ctx context.Context, dir string) (release func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, ".aura-lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() {
		done <- windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
	}()
	select {
	case <-ctx.Done():
		go func() {
			<-done
			_ = f.Close()
		}()
		return nil, context.Cause(ctx)
	case err = <-done:
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
