package shell

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"

	"github.com/idelchi/aura/internal/process"
)

// lineProcess is a running child. Its creator calls wait and then finish, once each.
type lineProcess struct {
	cmd   *exec.Cmd
	group *group
	// mark is in the environment of the child and of all that it starts.
	mark           string
	stdin          *os.File
	stdout, stderr *capture
	workers        sync.WaitGroup
}

// start starts the child. On an error nothing is left open or running.
func start(c Command) (*lineProcess, error) {
	p := &lineProcess{mark: process.NewMark("AURA_SHELL")}

	var ours, theirs pipes

	outR, outW := ours.reader(&theirs)
	errR, errW := ours.reader(&theirs)

	memory := cmp.Or(c.MemoryBytes, DefaultMemoryBytes)
	p.cmd = exec.Command(c.Executable, Argument, strconv.FormatInt(memory, 10), lifeline)
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(slices.Clone(c.Env), p.mark)
	p.cmd.Stdin, p.stdin = theirs.reader(&ours)
	p.cmd.Stdout, p.cmd.Stderr = outW, errW

	err := errors.Join(ours.err, theirs.err)
	if err == nil {
		p.group, err = startGroup(p.cmd)
	}

	theirs.close()

	if err != nil {
		ours.close()

		return nil, err
	}

	limit := cmp.Or(c.MaxOutput, DefaultMaxOutput)
	p.stdout, p.stderr = &capture{pipe: outR, limit: limit}, &capture{pipe: errR, limit: limit}
	p.workers.Go(p.stdout.run)
	p.workers.Go(p.stderr.run)
	p.workers.Go(func() { p.feed(request{line: c.Line, files: c.Files}.encode(), c.Stdin) })

	return p, nil
}

// feed writes the request and then the line's input. A line is free not to read that, so a failure to write is none of ours.
func (p *lineProcess) feed(parts ...[]byte) {
	for _, part := range parts {
		_, _ = io.Copy(p.stdin, bytes.NewReader(part))
	}

	_ = p.stdin.Close()
}

// wait returns when the child is gone, and what its end looked like. Stopped is set if ctx was the cause.
func (p *lineProcess) wait(ctx context.Context) (exit error, stopped bool) {
	done := make(chan error, 1)

	go func() { done <- p.cmd.Wait() }()

	select {
	case exit = <-done:
		return exit, false
	case <-ctx.Done():
		p.group.freeze()
		killEscaped(p.cmd.Process.Pid)
		p.group.kill()

		return <-done, true
	}
}

// finish kills what the child left behind, takes what is in the pipes and closes everything start opened.
func (p *lineProcess) finish() Result {
	p.group.kill()
	p.group.close()

	// A child that ends by itself takes along those who left the group. One that dies no longer can, and they are nobody's
	// descendants any more.
	if state := p.cmd.ProcessState; state == nil || !state.Exited() {
		process.KillMarked(p.mark)
	}

	_ = p.stdin.Close()

	p.stdout.stop()
	p.stderr.stop()
	p.workers.Wait()

	return Result{
		ExitCode: -1,
		Stdout:   p.stdout.kept, StdoutDropped: p.stdout.dropped,
		Stderr: p.stderr.kept, StderrDropped: p.stderr.dropped,
	}
}

// pipes are the ends of pipes that one side owns, and the first error of opening one.
type pipes struct {
	files []*os.File
	err   error
}

// reader opens a pipe from which p reads and to which writer writes.
func (p *pipes) reader(writer *pipes) (*os.File, *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		p.err = cmp.Or(p.err, fmt.Errorf("opening a pipe: %w", err))

		return nil, nil
	}

	p.files = append(p.files, r)
	writer.files = append(writer.files, w)

	return r, w
}

func (p *pipes) close() {
	for _, f := range p.files {
		_ = f.Close()
	}
}

// capture keeps the first bytes of a stream and counts the rest.
type capture struct {
	pipe    *os.File
	limit   int
	kept    []byte
	dropped int64
}

// run reads until the last writer is gone or stop is called. It closes the pipe.
func (c *capture) run() {
	buf := make([]byte, 32<<10)

	for {
		n, err := c.pipe.Read(buf)
		c.add(buf[:n])

		if err != nil {
			break
		}
	}

	c.drain(buf)
	_ = c.pipe.Close()
}

func (c *capture) add(data []byte) {
	room := min(c.limit-len(c.kept), len(data))
	c.kept = append(c.kept, data[:room]...)
	c.dropped += int64(len(data) - room)
}
