// Package shell runs command lines in the Bash dialect. The interpreter never runs in the caller's process: Run starts the
// caller's executable again, and that child calls Main. A line that allocates without end or never returns therefore harms only
// its own child.
package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/system/process"
)

// Argument is the hidden first argument that tells the executable that it is the child of Run. The executable must then call
// Main with the arguments that follow, before it does anything else.
const Argument = "__shell"

// processName is the name of the child in lists of processes. It may be started from a descriptor, which has no name.
const processName = "aura"

// The defaults of a Command, in bytes.
const (
	DefaultMaxOutput   = 1 << 20
	DefaultMemoryBytes = 512 << 20
)

// Command is a command line and its limits. The line inherits only what is named here.
type Command struct {
	// Executable is the program to start as the child; see Argument.
	Executable string
	Line       string
	// Files, if there are any, become the elements of the array FILES. FILE contains the same files separated by spaces. Where
	// the line uses either variable without quotes, each file is one word, whatever it contains. Programs see only FILE.
	Files []string
	// Dir is the working directory; empty means the caller's.
	Dir string
	// Env is the whole environment, as KEY=value.
	Env []string
	// Stdin is the input of the line; nil means no input.
	Stdin []byte
	// MaxOutput is how many bytes of each output stream are kept; 0 means DefaultMaxOutput.
	MaxOutput int
	// MemoryBytes is how much memory the interpreter may allocate; 0 means DefaultMemoryBytes. The limit applies only on Linux,
	// and not to the programs that the line starts.
	MemoryBytes int64
	// Timeout is how long the line may run; 0 means that only the context ends it.
	Timeout time.Duration
	// Start starts the child; nil means process.Start. A function that confines the child takes its place.
	Start func(context.Context, process.Spec) (*process.Process, error)
	// Refused lists directories whose programs the line does not start, such as those that confined code can write. The paths must be
	// absolute and without links.
	Refused []string
}

// Result is the result of a line.
type Result struct {
	// ExitCode is the exit status of the line, or -1 if the line was stopped.
	ExitCode       int
	Stdout, Stderr []byte
	// StdoutDropped and StderrDropped count the bytes beyond MaxOutput.
	StdoutDropped, StderrDropped int64
	// TimedOut is true if Timeout passed. That is not an error.
	TimedOut bool
}

var errTimeout = errors.New("time is up")

// Run runs a line to its end. When Run returns, the line's process group is gone, including background jobs. On Linux,
// processes that left the group on purpose are gone too, unless the interpreter died and the process has an environment of its
// own. On other systems such a process may survive, but Run does not wait for it. An error means that the line could not be run
// to its end: it did not start, ctx ended, or the interpreter died. The Result contains what the line had printed until then.
func Run(ctx context.Context, c Command) (Result, error) {
	if c.Timeout > 0 {
		var cancel context.CancelFunc

		ctx, cancel = context.WithTimeoutCause(ctx, c.Timeout, errTimeout)
		defer cancel()
	}

	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("running %q: %w", c.Line, err)
	}

	p, err := start(ctx, c)
	if err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("starting a shell for %q: %w", c.Line, err)
	}

	exit, stopped := p.wait(ctx)
	result := p.result()
	status, ended := p.announced()

	switch {
	case stopped && errors.Is(context.Cause(ctx), errTimeout):
		result.TimedOut = true
	case stopped:
		return result, fmt.Errorf("running %q: %w", c.Line, ctx.Err())
	case ended:
		result.ExitCode = status
	default:
		return result, fmt.Errorf("running %q: %w", c.Line, died(exit))
	}

	return result, nil
}

// died describes the end of a child that did not report the status of its line. Either the interpreter failed, most likely at its memory
// limit, or the line killed the child. The death of a program of the line does not end the child.
func died(err error) error {
	var exit *exec.ExitError

	switch {
	case err == nil:
		return errors.New("the shell ended without a status")
	case !errors.As(err, &exit):
		return fmt.Errorf("waiting for the shell: %w", err)
	case exit.Exited() || strings.Contains(exit.String(), "abort"):
		return fmt.Errorf("the shell died (%s), probably for lack of memory or by endless recursion", exit.ProcessState)
	default:
		return fmt.Errorf("the shell died (%s)", exit.ProcessState)
	}
}
