package files

import (
	"os"
	"syscall"
)

// SyncData makes the content of a file durable, and its size, but not the times of its changes.
func SyncData(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for failed = syscall.EINTR; failed == syscall.EINTR; {
			failed = syscall.Fdatasync(int(fd))
		}
	})
	if err == nil && failed != nil {
		err = fault("fdatasync", f.Name(), failed)
	}
	return err
}
