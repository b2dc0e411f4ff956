//go:build unix

package link

import "syscall"

// keepFromChildren makes sure that programs that the plugin starts do not inherit the descriptors.
func keepFromChildren(fds ...int) {
	for _, fd := range fds {
		syscall.CloseOnExec(fd)
	}
}
