//go:build unix

package host

import (
	"fmt"
	"os"
	"syscall"

	"github.com/idelchi/aura/internal/files"
)

// lockFile takes a lock that the system releases when its holder dies, or fails at once if someone has it. The file is made if flag is
// os.O_CREATE.
func lockFile(path string, flag int) (*os.File, error) {
	f, err := files.OpenNoFollow(path, flag|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

// newLock makes a lock that is held from the moment it can be seen under its name: whoever finds one that is free takes its owner for
// dead.
func newLock(path string) (*os.File, error) {
	f, err := lockFile(path+".new", os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := os.Rename(path+".new", path); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return f, nil
}

func ownedByUs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}
