package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// descriptors is the directory of the open files of the process that looks at it.
const descriptors = "/proc/self/fd/"

// programFile returns the program of a path that names a descriptor of this process, and nil for any other path. The caller must
// close it. In the child, the descriptors that are passed may take the number of the program, so it must be passed too.
func programFile(path string) (*os.File, error) {
	number, ok := strings.CutPrefix(path, descriptors)
	if !ok {
		return nil, nil
	}
	fd, err := strconv.Atoi(number)
	if err != nil {
		return nil, fmt.Errorf("finding the program %s: %w", path, err)
	}
	program, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("finding the program %s: %w", path, err)
	}
	return os.NewFile(uintptr(program), path), nil
}

// programPath returns the path by which a child starts the program that is its descriptor fd.
func programPath(fd int) string { return descriptors + strconv.Itoa(fd) }
