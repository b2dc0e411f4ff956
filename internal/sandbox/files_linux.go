package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseInherited closes every descriptor from 3 on that is not to be kept, but for the two by which Go's runtime waits. A process
// calls it first of all, before it opens anything.
func CloseInherited(keep ...int) error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("listing the descriptors: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd < 3 || slices.Contains(keep, fd) {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || target == "anon_inode:[eventpoll]" || target == "anon_inode:[eventfd]" {
			// It is closed already, as is the one the list was read from, or it is the runtime's.
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("closing descriptor %d: %w", fd, err)
		}
	}
	return nil
}
