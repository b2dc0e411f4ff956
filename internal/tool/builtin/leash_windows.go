package builtin

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
)

// leash ties a shell command to the life of its call.
type leash struct {
	line  string
	shell string
}

func newLeash(line string) (*leash, error) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return nil, errors.Join(errors.New("no POSIX shell found; install one, such as Git for Windows, and put sh on PATH"), err)
	}
	return &leash{line: line, shell: shell}, nil
}

// command returns the shell, whose whole tree of processes dies when ctx is done.
func (l *leash) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.shell, "-c", l.line)
	cmd.Cancel = func() error { return killTree(cmd) }
	return cmd
}

// kill ends what is left of the tree.
func (l *leash) kill(cmd *exec.Cmd) { _ = killTree(cmd) }

func (l *leash) close() {}

func killTree(cmd *exec.Cmd) error {
	pid := strconv.Itoa(cmd.Process.Pid)
	if err := exec.Command("taskkill", "/T", "/F", "/PID", pid).Run(); err != nil {
		return fmt.Errorf("killing process tree %s: %w", pid, errors.Join(err, cmd.Process.Kill()))
	}
	return nil
}
