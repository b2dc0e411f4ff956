//go:build unix

package migrate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// renameOut moves an entry of an open directory to a path. The path of the directory is not looked up again.
func renameOut(dir *os.Root, name, to string) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	if err := unix.Renameat(int(d.Fd()), name, unix.AT_FDCWD, to); err != nil {
		return errors.Join(fmt.Errorf("moving %s to %s: %w", filepath.Join(dir.Name(), name), to, err), d.Close())
	}
	return d.Close()
}
