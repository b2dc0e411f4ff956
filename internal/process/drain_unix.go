//go:build unix

package process

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// lifelineDescriptor is true where a process is passed its lifeline as a descriptor.
const lifelineDescriptor = true

// maxDrain bounds what is read after the deadline, in bytes, should a process that was not found keep writing. It is the most that a
// pipe can hold by default on Linux.
const maxDrain = 1 << 20

// drain takes what the pipe holds at this moment. It does not wait for more.
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
