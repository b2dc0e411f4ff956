//go:build unix

package builtin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"github.com/idelchi/aura/internal/process"
)

// guarded starts a watcher beside the command, $1, for the shell $0. The watcher belongs to the command's process group but is no child of
// its shell; it waits for the end of aura, which is the end of descriptor 3, and then kills the group, itself included.
const guarded = `({ read -r _; kill -9 0; } <&3 >/dev/null 2>&1 &); exec 3<&-; exec "$0" -c "$1"`

// plainShell is on every system; command lines run in bash if there is one.
const plainShell = "/bin/sh"

// shell is what command lines run in.
var shell = sync.OnceValue(func() string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "bash"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	return plainShell
})

// leash ties a shell command to the life of aura.
type leash struct {
	line string
	// mark is an entry for the environment by which the command's processes are known wherever they go.
	mark string
	// aura keeps held open; the watcher waits on watched.
	watched, held *os.File
}

func newLeash(line string) (*leash, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &leash{line: line, mark: process.NewMark("AURA_BASH"), watched: r, held: w}, nil
}

// command returns the shell, which leads a process group that dies as one when ctx is done.
func (l *leash) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, plainShell, "-c", guarded, shell(), l.line)
	cmd.Env = []string{l.mark}
	cmd.ExtraFiles = []*os.File{l.watched}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	return cmd
}

// kill ends what is left of the command after the shell. The watcher is, so the group's number cannot have been reused.
func (l *leash) kill(cmd *exec.Cmd) {
	_ = killGroup(cmd)
	process.KillMarked(l.mark)
}

func (l *leash) close() {
	_ = l.watched.Close()
	_ = l.held.Close()
}

func killGroup(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ESRCH), errors.Is(err, syscall.EPERM): // nobody is left, or only the dead
		return os.ErrProcessDone
	default:
		return fmt.Errorf("killing process group %d: %w", cmd.Process.Pid, err)
	}
}
