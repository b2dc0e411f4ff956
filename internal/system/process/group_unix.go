//go:build unix

package process

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// group is a process and its process group. It is the process alone if the process is in the caller's group.
type group struct {
	id int
	// alone is true if the process leads no group, or its group is not ours to end.
	alone bool
}

// startGroup starts cmd in its own session, which the signals of the terminal do not reach. If s.SameGroup is set, cmd stays in the
// caller's session and process group.
func startGroup(cmd *exec.Cmd, attr *syscall.SysProcAttr, s Spec) (*group, error) {
	attr.Setsid = !s.SameGroup
	cmd.SysProcAttr = attr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid, alone: s.SameGroup || s.Outlive}, nil
}

// signal sends a signal to the whole group. It ignores errors, because a process that is gone needs no signal.
func (g *group) signal(s unix.Signal) {
	if !g.alone {
		_ = unix.Kill(-g.id, s)
	}
	_ = unix.Kill(g.id, s)
}

func (g *group) kill()      { g.signal(unix.SIGKILL) }
func (g *group) terminate() { g.signal(unix.SIGTERM) }

// freeze stops the group, so that no process in it starts others while its descendants are searched.
func (g *group) freeze() { g.signal(unix.SIGSTOP) }

func (*group) close() {}
