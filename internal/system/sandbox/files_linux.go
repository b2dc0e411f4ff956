package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// CloseInherited closes every descriptor from 3 on, except those in keep and the two that Go's runtime uses for waiting. A
// process must call it before it opens anything.
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
			// The descriptor is closed already, such as the one that the list was read from, or it belongs to the runtime.
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("closing descriptor %d: %w", fd, err)
		}
	}
	return nil
}
