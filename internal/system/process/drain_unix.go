//go:build unix

package process

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lifelineDescriptor is true because a process gets its lifeline as a descriptor on this system.
const lifelineDescriptor = true

// drain copies what the pipe contains at this moment. It does not wait for more.
func (o output) drain(buf []byte) {
	for total := 0; total < maxDrain; {
		n, err := readNow(o.from, buf)
		if err != nil {
			return
		}
		_, _ = o.to.Write(buf[:n])
		total += n
	}
}

// readNow reads what a pipe contains at this moment, although its deadline has passed. It returns os.ErrDeadlineExceeded if the pipe is
// empty, and io.EOF if nobody can write to it any more.
func readNow(f *os.File, buf []byte) (n int, err error) {
	// A file whose deadline has passed permits no access.
	if err := f.SetReadDeadline(time.Time{}); err != nil {
		return 0, err
	}
	defer func() {
		if failed := f.SetReadDeadline(time.Unix(1, 0)); failed != nil {
			err = failed
		}
	}()
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	for {
		var failed error
		if err := conn.Read(func(fd uintptr) bool {
			n, failed = unix.Read(int(fd), buf)
			return true
		}); err != nil {
			return 0, err
		}
		switch {
		case errors.Is(failed, unix.EINTR):
		case errors.Is(failed, unix.EAGAIN):
			return 0, os.ErrDeadlineExceeded
		case failed != nil:
			return 0, failed
		case n <= 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}
