package shell

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"strconv"

	"github.com/idelchi/aura/internal/process"
)

// markName is the variable by which the programs of a line are found that left its process group.
const markName = "AURA_SHELL"

// lineProcess is a running child.
type lineProcess struct {
	*process.Process
	stdout, stderr process.Head
}

// start starts the child. On an error nothing is left open or running.
func start(c Command) (*lineProcess, error) {
	memory := cmp.Or(c.MemoryBytes, DefaultMemoryBytes)
	limit := cmp.Or(c.MaxOutput, DefaultMaxOutput)
	p := &lineProcess{stdout: process.Head{Max: limit}, stderr: process.Head{Max: limit}}
	request := request{line: c.Line, files: c.Files}.encode()

	var err error

	p.Process, err = process.Start(process.Spec{
		Path: c.Executable,
		Args: []string{c.Executable, Argument, strconv.FormatInt(memory, 10), lifeline},
		Dir:  c.Dir, Env: c.Env,
		Stdin:  io.MultiReader(bytes.NewReader(request), bytes.NewReader(c.Stdin)),
		Stdout: &p.stdout, Stderr: &p.stderr,
		Lifeline: true, Reaper: true, Orderly: true, Mark: markName,
	})

	return p, err
}

// wait returns when the child is gone with all it started, and what its end looked like. Stopped is set if ctx was the cause.
func (p *lineProcess) wait(ctx context.Context) (exit error, stopped bool) {
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()

		stopped = true
	}

	return p.Wait(), stopped
}

// result is what the child has printed.
func (p *lineProcess) result() Result {
	r := Result{ExitCode: -1}
	r.Stdout, r.StdoutDropped = p.stdout.Kept()
	r.Stderr, r.StderrDropped = p.stderr.Kept()

	return r
}
