//go:build unix

package session

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// syncDir makes the names in a directory durable. It does nothing on file systems that refuse to sync a directory.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("opening directory for sessions: %w", err)
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	if err := errors.Join(err, d.Close()); err != nil {
		return fmt.Errorf("syncing directory for sessions: %w", err)
	}
	return nil
}
