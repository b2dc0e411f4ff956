package app

import (
	"context"
	"fmt"
	"io"

	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/shell"
)

// RunShell runs the shell lines of a task one after the other, each in a separate, limited process. It stops at the first line
// that fails. It writes the output of the lines to w.
func RunShell(ctx context.Context, c *config.Config, task config.Task, lines []string, w io.Writer) error {
	if len(lines) == 0 {
		return nil
	}
	program, err := toolhost.Program()
	if err != nil {
		return err
	}
	vars, err := task.Environment()
	if err != nil {
		return err
	}
	dir := task.Workdir
	if dir == "" {
		dir = c.Workdir
	}
	place, err := setup.TaskLines(c, task, dir, vars)
	if err != nil {
		return fmt.Errorf("running task %q: %w", task.Name, err)
	}
	for _, line := range lines {
		r, err := shell.Run(ctx, place(shell.Command{Executable: program.Start, Line: line}))
		if _, werr := w.Write(append(r.Stdout, r.Stderr...)); werr != nil {
			return fmt.Errorf("showing the output of %q: %w", line, werr)
		}
		if err != nil {
			return fmt.Errorf("running task %q: %w", task.Name, err)
		}
		if r.ExitCode != 0 {
			return fmt.Errorf("running task %q: %q ended with status %d", task.Name, line, r.ExitCode)
		}
	}
	return nil
}
