//go:build unix && !linux

package host

import (
	"os/exec"
	"syscall"

	"github.com/idelchi/aura/shared"
)

// spawn starts the child detached from the terminal. It ends itself when its lifeline breaks.
func spawn(cmd *exec.Cmd, _ *shared.LaunchSpec) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Start()
}

// killTree kills the child's process group. A descendant that left the group is not found here; the documentation says so.
func killTree(pid int, _ bool) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
