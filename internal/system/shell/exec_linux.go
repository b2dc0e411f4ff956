package shell

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/idelchi/aura/internal/system/process"
)

// pipeGrace is how long a program's output is still read after the program has ended, if another process holds the pipe open.
const pipeGrace = 2 * time.Second

// exec starts programs without the interpreter's own memory limit: a linter may need more memory than a shell. It passes files
// that the kernel does not execute, such as a script without a #! line, to next.
func (l *limits) exec(next interp.ExecHandlerFunc) interp.ExecHandlerFunc {
	return func(ctx context.Context, args []string) error {
		err := l.program(ctx, next, args)
		l.holdOnceOver()

		return err
	}
}

func (l *limits) program(ctx context.Context, next interp.ExecHandlerFunc, args []string) error {
	l.holdOnceOver()

	hc := interp.HandlerCtx(ctx)

	path, err := interp.LookPathDir(hc.Dir, hc.Env, args[0])
	if err != nil {
		return missing(hc.Stderr, args[0], err)
	}

	spec := process.Spec{
		Path: path, Args: args, Env: environ(hc.Env), Dir: hc.Dir, Stdin: hc.Stdin, Stdout: hc.Stdout, Stderr: hc.Stderr,
		Linger: pipeGrace, SameGroup: true, Around: l.lifted,
	}

	p, err := process.Start(spec)
	if errors.Is(err, unix.ENOEXEC) || errors.Is(err, unix.ETXTBSY) {
		return next(ctx, args)
	}

	if err != nil {
		l.holdOnceOver()

		_, _ = fmt.Fprintln(hc.Stderr, err)

		return interp.ExitStatus(exitNotFound)
	}

	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()

	err = p.Wait()
	l.ended()

	return status(err)
}

// end marks the line as over. After that, no part of the line that waits for a program continues. When end returns, all
// programs are seized and no program can be started any more, because end never releases the lock. Only one call returns; any
// further call blocks forever.
func (l *limits) end() {
	l.over.Store(true)

	for locked := false; ; locked = l.mu.TryLock() {
		// A program that is being started holds the lock. It may have to be seized before the lock is released.
		process.SeizeDescendants()

		if locked {
			return
		}
	}
}

// holdOnceOver blocks forever after end. Otherwise a background part of the line would see that its program has ended, which
// was killed with the line, and would continue with the next command.
func (l *limits) holdOnceOver() {
	if l.over.Load() {
		select {}
	}
}

// status converts the error of a program's end to the shell's exit status.
func status(err error) error {
	var exit *exec.ExitError

	switch {
	case err == nil:
		return nil
	case !errors.As(err, &exit):
		return err
	}

	if wait, ok := exit.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		return interp.ExitStatus(128 + wait.Signal())
	}

	return interp.ExitStatus(exit.ExitCode())
}

// environ lists the exported variables. A name may occur twice, or be unset later: the last occurrence counts.
func environ(env expand.Environ) []string {
	var list []string

	for name, variable := range env.Each {
		list = slices.DeleteFunc(list, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })

		if variable.IsSet() && variable.Exported && variable.Kind == expand.String {
			list = append(list, name+"="+variable.String())
		}
	}

	return list
}
