//go:build unix

package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ReadKeys lets a terminal pass on each key at once, without showing it, or each line when it is finished.
func ReadKeys(f *os.File, each bool) error {
	modes, err := unix.IoctlGetTermios(int(f.Fd()), getModes)
	if err != nil {
		return fmt.Errorf("reading the modes of the terminal: %w", err)
	}
	modes.Lflag |= unix.ICANON | unix.ECHO
	if each {
		modes.Lflag &^= unix.ICANON | unix.ECHO
		modes.Cc[unix.VMIN], modes.Cc[unix.VTIME] = 1, 0
	}
	if err := unix.IoctlSetTermios(int(f.Fd()), setModes, modes); err != nil {
		return fmt.Errorf("changing the modes of the terminal: %w", err)
	}
	return nil
}
