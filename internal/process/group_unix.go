//go:build unix

package process

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process and, unless it shares the caller's, its process group.
type group struct {
	id int
	// alone means that the process leads no group.
	alone bool
}

// startGroup starts cmd in a session of its own, out of reach of the terminal and its signals, unless it shares the caller's group.
func startGroup(cmd *exec.Cmd, attr *syscall.SysProcAttr, shared bool) (*group, error) {
	attr.Setsid = !shared
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid, alone: shared}, nil
}

// signal sends a signal to all. One that is gone already needs none.
func (g *group) signal(s unix.Signal) {
	if !g.alone {
		_ = unix.Kill(-g.id, s)
	}
	_ = unix.Kill(g.id, s)
}

func (g *group) kill()      { g.signal(unix.SIGKILL) }
func (g *group) terminate() { g.signal(unix.SIGTERM) }

// freeze stops the group, so that nothing in it starts processes while its descendants are looked for.
func (g *group) freeze() { g.signal(unix.SIGSTOP) }

func (*group) close() {}
