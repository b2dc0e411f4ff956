package host

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile takes a lock that the system releases when its holder dies, or fails at once if someone has it. The file is made if flag is
// os.O_CREATE.
func lockFile(path string, flag int) (*os.File, error) {
	f, err := os.OpenFile(path, flag|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	if err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{}); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

// newLock makes a lock. Here a file cannot be renamed while it is open, so for a moment it is seen without its lock.
func newLock(path string) (*os.File, error) { return lockFile(path, os.O_CREATE) }

// ownedByUs trusts the access rules of the user's own temporary directory.
func ownedByUs(os.FileInfo) bool { return true }
