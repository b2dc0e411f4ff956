package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"mvdan.cc/sh/v3/interp"

	"github.com/idelchi/aura/internal/system/process"
)

// exitFault is the status if the line could not be interpreted. Other shells use 2, but 2 has a special meaning for hooks.
const exitFault = 1

// Main is the child's side of Run. args are the arguments after Argument, stdin begins with the request, and the result is the
// exit status. Main changes limits and descriptors of the whole process, so no other process may call it.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	const expected = 3
	if len(args) != expected {
		return report(stderr, fmt.Errorf("%s is for aura's own use", Argument))
	}

	status := runRequest(args, stdin, stdout, stderr)
	if err := announce(args[2], status); err != nil {
		return report(stderr, err)
	}

	return status
}

// runRequest runs the line that stdin begins with, and returns its exit status.
func runRequest(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	memory, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil || memory <= 0 {
		return report(stderr, fmt.Errorf("memory limit %q is not a number of bytes", args[0]))
	}

	reserve(args[2])

	asked, err := readRequest(stdin)
	if err != nil {
		return report(stderr, err)
	}

	stderr, limits, err := confine(memory, stderr)
	if err != nil {
		return report(stderr, err)
	}

	if err := process.AdoptOrphans(); err != nil {
		return report(stderr, err)
	}

	if err := watchParent(args[1], limits.end); err != nil {
		return report(stderr, err)
	}

	// The parent kills the group, but a process that is about to leave the group could escape before that.
	defer limits.end()

	options := []interp.RunnerOption{
		interp.StdIO(stdin, stdout, stderr), interp.ExecHandlers(outsideOf(asked.refused), limits.exec, findable), interp.Env(nil), withFiles(asked.files),
	}

	return interpret(asked, options, stderr)
}

func interpret(asked request, options []interp.RunnerOption, stderr io.Writer) (status int) {
	defer func() {
		if r := recover(); r != nil {
			status = report(stderr, fmt.Errorf("interpreting the command: %v", r))
		}
	}()

	file, err := parse(asked.line)
	if err != nil {
		return report(stderr, fmt.Errorf("parsing the command: %w", err))
	}

	if len(asked.files) > 0 {
		spread(file)
	}

	runner, err := interp.New(append(options, interp.CallHandler(outside(file)))...)
	if err != nil {
		return report(stderr, fmt.Errorf("preparing the shell: %w", err))
	}

	err = runner.Run(context.Background(), file)

	var exit interp.ExitStatus

	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	default:
		return report(stderr, err)
	}
}

func report(stderr io.Writer, err error) int {
	// If this write fails too, the error cannot be reported.
	_, _ = fmt.Fprintf(stderr, "shell: %v\n", err)

	return exitFault
}
