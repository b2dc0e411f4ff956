//go:build unix

package mcp

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// group is a program's process group.
type group struct{ id int }

// startGroup starts cmd in a session of its own, out of reach of the terminal and its signals.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{id: cmd.Process.Pid}, nil
}

// terminate asks every process of the group to end. One that is gone already needs no asking.
func (g *group) terminate() { _ = unix.Kill(-g.id, unix.SIGTERM) }

// kill ends every process of the group. One that is gone already needs no killing.
func (g *group) kill() { _ = unix.Kill(-g.id, unix.SIGKILL) }

func (g *group) close() {}
