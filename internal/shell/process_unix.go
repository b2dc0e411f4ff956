//go:build unix

package shell

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lifeline is the descriptor by which the child learns that its parent is gone: the parent holds the other end of a
// pipe and never writes to it.
const lifeline = "3"

// maxDrain bounds what is read after the end, should a process that left the group go on writing. It is the most
// that a pipe can hold by default on Linux.
const maxDrain = 1 << 20

// group is a child's process group.
type group struct {
	id   int
	hold *os.File
}

// startGroup starts cmd in a session of its own, out of reach of the terminal and its signals.
func startGroup(cmd *exec.Cmd) (*group, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}

	defer func() { _ = r.Close() }()

	cmd.ExtraFiles = []*os.File{r}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}

	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, w.Close())
	}

	return &group{id: cmd.Process.Pid, hold: w}, nil
}

// kill ends every process of the group. One that is gone already needs no killing, so there is no error to report.
func (g *group) kill() { _ = unix.Kill(-g.id, unix.SIGKILL) }

func (g *group) close() { _ = g.hold.Close() }

// stop ends a read that is waiting for a writer outside the group.
func (c *capture) stop() { _ = c.pipe.SetReadDeadline(time.Unix(1, 0)) }

// drain takes what the pipe holds at this moment, without waiting for more.
func (c *capture) drain(buf []byte) {
	if c.pipe.SetReadDeadline(time.Time{}) != nil {
		return
	}

	conn, err := c.pipe.SyscallConn()
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

		c.add(buf[:n])
		total += n
	}
}
