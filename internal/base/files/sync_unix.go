//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir makes the names in a directory durable. It does nothing on file systems that refuse to sync a directory.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
