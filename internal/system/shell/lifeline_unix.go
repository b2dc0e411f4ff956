//go:build unix

package shell

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// lifeline is the descriptor by which the child detects that its parent is gone; see process.Spec.
const lifeline = "3"

// watchParent kills this process and its group once the parent has ended in any way. It calls end before that.
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
		// No process ever writes to the pipe: if the read returns, the other end is closed.
		_, _ = pipe.Read(make([]byte, 1))
		end()
		_ = unix.Kill(0, unix.SIGKILL)
		os.Exit(exitFault) //nolint:forbidigo // the first process of a namespace ignores its own signals, and must end all the same
	}()

	return nil
}
