//go:build unix

package shell

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// lifeline is the descriptor by which the child learns that its parent is gone; see process.Spec.
const lifeline = "3"

// watchParent ends this process and its group once the parent is gone, however it went. End is called before.
func watchParent(descriptor string, end func()) error {
	fd, err := strconv.Atoi(descriptor)
	if err != nil {
		return fmt.Errorf("descriptor %q is not a number", descriptor)
	}

	unix.CloseOnExec(fd)

	pipe := os.NewFile(uintptr(fd), "lifeline")
	if pipe == nil {
		return fmt.Errorf("descriptor %d is not open", fd)
	}

	go func() {
		// Nothing is ever written to it: any return means that the other end is closed.
		_, _ = pipe.Read(make([]byte, 1))
		end()
		_ = unix.Kill(0, unix.SIGKILL)
	}()

	return nil
}
