package shell

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"strconv"

	"github.com/idelchi/aura/internal/system/process"
)

// markName is the variable by which programs of a line that left its process group are found.
const markName = "AURA_SHELL"

// lineProcess is a running child.
type lineProcess struct {
	*process.Process
	stdout, stderr process.Head
	// ending gets the exit status of the line as one byte, unless the child dies before that; nil where the system passes no files.
	ending *os.File
}

// start starts the child. After an error, nothing is left open or running.
func start(ctx context.Context, c Command) (*lineProcess, error) {
	memory := cmp.Or(c.MemoryBytes, DefaultMemoryBytes)
	limit := cmp.Or(c.MaxOutput, DefaultMaxOutput)
	p := &lineProcess{stdout: process.Head{Max: limit}, stderr: process.Head{Max: limit}}
	request := request{line: c.Line, files: c.Files, refused: c.Refused}.encode()
	begin := c.Start

	if begin == nil {
		begin = func(_ context.Context, s process.Spec) (*process.Process, error) { return process.Start(s) }
	}

	spec, closeTheirs, err := p.withEnding(process.Spec{
		Path: c.Executable,
		Args: []string{processName, Argument, strconv.FormatInt(memory, 10), lifeline, ending},
		Dir:  c.Dir, Env: c.Env,
		Stdin:  io.MultiReader(bytes.NewReader(request), bytes.NewReader(c.Stdin)),
		Stdout: &p.stdout, Stderr: &p.stderr,
		Lifeline: true, Reaper: true, Orderly: true, Mark: markName,
	})
	if err != nil {
		return nil, err
	}

	p.Process, err = begin(ctx, spec)
	closeTheirs()

	if err != nil {
		_ = p.ending.Close() // of a nil file only returns an error
	}

	return p, err
}

// wait returns when the child and all its descendants are gone. exit is how the child ended. stopped is true if the end of ctx
// was the cause.
func (p *lineProcess) wait(ctx context.Context) (exit error, stopped bool) {
	select {
	case <-p.Exited():
	case <-ctx.Done():
		p.Kill()

		stopped = true
	}

	return p.Wait(), stopped
}

// result returns what the child has printed. Its exit code is -1.
func (p *lineProcess) result() Result {
	r := Result{ExitCode: -1}
	r.Stdout, r.StdoutDropped = p.stdout.Kept()
	r.Stderr, r.StderrDropped = p.stderr.Kept()

	return r
}
