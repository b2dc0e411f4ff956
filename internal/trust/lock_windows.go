package trust

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"

	"github.com/idelchi/aura/internal/files"
)

// lock waits until no other aura changes the consents. The system releases the lock when its holder dies.
func lock(path string) (release func() error, err error) {
	f, err := files.OpenNoFollow(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{}); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return f.Close, nil
}
