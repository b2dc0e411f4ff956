//go:build unix

package relay

import (
	"errors"
	"os"

	"github.com/creack/pty"
)

// ends are aura's ends of a pseudo-terminal and of the pipes to the leader, and their descriptors. That slave is open keeps what was typed and
// not read.
type ends struct {
	files                         []*os.File
	master, slave, events, orders int
}

// leaderEnds are the ends for the leader.
type leaderEnds struct{ tty, events, orders *os.File }

// open opens a pseudo-terminal and pipes. The caller closes both ends, also after an error.
func (e *ends) open() (leaderEnds, error) {
	master, tty, err := pty.Open()
	if err != nil {
		return leaderEnds{}, err
	}
	e.files = append(e.files, master, tty)
	events, theirEvents, failed := os.Pipe()
	if failed != nil {
		return leaderEnds{}, failed
	}
	e.files = append(e.files, events)
	theirOrders, orders, failed := os.Pipe()
	if failed != nil {
		return leaderEnds{}, errors.Join(failed, theirEvents.Close())
	}
	e.files = append(e.files, orders)
	e.master, e.slave, e.events, e.orders = int(master.Fd()), int(tty.Fd()), int(events.Fd()), int(orders.Fd())
	return leaderEnds{tty, theirEvents, theirOrders}, nil
}

// endOrders closes the pipe to the leader.
func (e *ends) endOrders() {
	last := len(e.files) - 1
	_ = e.files[last].Close()
	e.files = e.files[:last]
}

func (e *ends) close() {
	for _, f := range e.files {
		_ = f.Close()
	}
}

// close closes the ends for the leader, except the pseudo-terminal, which aura keeps too.
func (l leaderEnds) close() {
	for _, f := range []*os.File{l.events, l.orders} {
		if f != nil {
			_ = f.Close()
		}
	}
}
