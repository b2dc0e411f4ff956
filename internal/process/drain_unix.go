//go:build unix

package process

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// lifelineDescriptor is true because a process gets its lifeline as a descriptor on this system.
const lifelineDescriptor = true

// maxDrain is how many bytes are read after the deadline at most, in case a descendant that was not found keeps writing. It is
// the largest size of a pipe by default on Linux.
const maxDrain = 1 << 20

// drain copies what the pipe contains at this moment. It does not wait for more.
func (o output) drain(buf []byte) {
	if o.from.SetReadDeadline(time.Time{}) != nil {
		return
	}
	conn, err := o.from.SyscallConn()
	if err != nil {
		return
	}
	for total := 0; total < maxDrain; {
		n, readErr := 0, error(nil)
		err = conn.Read(func(fd uintptr) bool {
			n, readErr = unix.Read(int(fd), buf)
			return true
		})
		if errors.Is(readErr, unix.EINTR) {
			continue
		}
		if err != nil || readErr != nil || n <= 0 {
			return
		}
		_, _ = o.to.Write(buf[:n])
		total += n
	}
}
