// Package shell runs command lines in the Bash dialect. The interpreter never works in the caller's process: Run
// starts the caller's executable once more, and that child calls Main. A line that allocates without end or never
// returns thus costs no more than its own child.
package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Argument is the hidden first argument by which the executable knows that it is the child of Run. It must call
// Main with the arguments that follow, before it does anything else.
const Argument = "__shell"

// Defaults of a Command.
const (
	DefaultMaxOutput   = 1 << 20
	DefaultMemoryBytes = 512 << 20
)

// Command is a command line and the bounds it runs in. Nothing is inherited from the caller but what is named here.
type Command struct {
	// Executable is the program that is started as the child; see Argument.
	Executable string
	Line       string
	// Files are, unless there are none, the elements of the array FILES, and FILE is the same separated by spaces. Where the
	// line uses either without quotes, each file is one word, whatever it contains. Programs see FILE only.
	Files []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the whole environment, as KEY=value.
	Env []string
	// Stdin is what the line reads; without it, its input is empty.
	Stdin []byte
	// MaxOutput is how many bytes of each output stream are kept; 0 means DefaultMaxOutput.
	MaxOutput int
	// MemoryBytes is what the interpreter may allocate; 0 means DefaultMemoryBytes. It holds on Linux only, and not
	// for the programs that the line starts.
	MemoryBytes int64
	// Timeout ends the line; 0 means that only the context does.
	Timeout time.Duration
}

// Result is how a line ended.
type Result struct {
	// ExitCode is that of the line, or -1 if it was stopped.
	ExitCode       int
	Stdout, Stderr []byte
	// StdoutDropped and StderrDropped count the bytes beyond MaxOutput.
	StdoutDropped, StderrDropped int64
	// TimedOut tells that Timeout passed. That is no error.
	TimedOut bool
}

var errTimeout = errors.New("time is up")

// Run runs a line to its end. When it returns, the line's process group is gone, background jobs included. A process
// that left the group on purpose goes with it on Linux, unless the interpreter died and the process has an environment
// of its own; elsewhere it may live on, but is not waited for. An error means that the line could not be run
// to its end: it did not start, ctx ended, or the interpreter died. What it had printed until then is in the Result.
func Run(ctx context.Context, c Command) (Result, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc

		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
		defer cancel()
	}

	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("running %q: %w", c.Line, err)
	}

	p, err := start(c)
	if err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("starting a shell for %q: %w", c.Line, err)
	}

	exit, stopped := p.wait(ctx)
	result := p.result()

	switch {
	case stopped && errors.Is(context.Cause(ctx), errTimeout):
		result.TimedOut = true
	case stopped:
		return result, fmt.Errorf("running %q: %w", c.Line, ctx.Err())
	default:
		result.ExitCode, err = exitCode(exit)
		if err != nil {
			return result, fmt.Errorf("running %q: %w", c.Line, err)
		}
	}

	return result, nil
}

// exitCode reads what waiting for the child returned. A child that did not exit by itself has died of a fault of
// the interpreter, most likely at its memory limit, or was killed by its own line: what ends a program of the line ends
// only that.
func exitCode(err error) (int, error) {
	if err == nil {
		return 0, nil
	}

	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1, fmt.Errorf("waiting for the shell: %w", err)
	}

	if !exit.Exited() {
		hint := ""
		if strings.Contains(exit.String(), "abort") {
			hint = ", probably for lack of memory or by endless recursion"
		}

		return -1, fmt.Errorf("the shell died (%s)%s", exit.ProcessState, hint)
	}

	return exit.ExitCode(), nil
}
