package host

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/idelchi/aura/shared"
)

// spawn starts the child in a process group of its own. It ends itself when its lifeline breaks.
func spawn(cmd *exec.Cmd, _ *shared.LaunchSpec) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return cmd.Start()
}

// killTree kills the child. Its descendants are not found here; the documentation says so.
func killTree(pid int, _ bool) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}
