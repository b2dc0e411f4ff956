package process

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// reaperLifeline is the descriptor by which a reaper notices that aura is gone; see Spec.Lifeline.
const reaperLifeline = 3

// Reaped returns the specification of the same program below a reaper, which ends all descendants of the program: also one that
// left its group, has lost its parents, and was started with an environment without the mark. self is a program that calls Reap
// if its first argument is ReaperArgument. The specification must not have Files.
func (s Spec) Reaped(self string) Spec {
	s.Args = slices.Concat([]string{self, ReaperArgument, s.Path}, s.Args)
	s.Path = self
	s.Lifeline, s.Reaper, s.Orderly, s.Guard = true, true, true, false
	return s
}

// Reap runs the program args[0] with the arguments args[1:], and returns its exit status, or 128 and the number of the signal that killed it. It
// passes requests to end on to the program. When the program has ended, or aura is gone, it kills everything that the program
// left. Reap changes the descriptors of the whole process, so no other process may call it.
func Reap(args []string) int {
	if len(args) < 2 { //nolint:mnd // a path and a name
		return reaperFault(fmt.Errorf("%s is for aura's own use", ReaperArgument))
	}
	unix.CloseOnExec(reaperLifeline)
	// The group of this process is asked to end, but the program has a group of its own.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	if err := AdoptOrphans(); err != nil {
		return reaperFault(err)
	}
	p, err := Start(Spec{
		Path: args[0], Args: args[1:], Env: os.Environ(), //nolint:forbidigo // aura chose this environment for the program
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		return reaperFault(err)
	}
	defer KillChildren()
	// If this process kept the streams, aura would not notice that the program closed them.
	if err := releaseStreams(); err != nil {
		return reaperFault(err)
	}
	gone := make(chan struct{})
	go func() {
		// No process ever writes to the pipe: if the read returns, the other end is closed.
		_, _ = os.NewFile(reaperLifeline, "lifeline").Read(make([]byte, 1))
		close(gone)
	}()
	for {
		select {
		case <-asked:
			p.Terminate()
		case <-gone:
			return ReaperStatus
		case <-p.Exited():
			return shellStatus(p.Wait())
		}
	}
}

func reaperFault(err error) int {
	// If this write fails too, the error cannot be reported.
	_, _ = fmt.Fprintln(os.Stderr, err)
	return ReaperStatus
}

// releaseStreams replaces the standard streams by the null device.
func releaseStreams() error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { _ = null.Close() }()
	for fd := range 3 {
		if err := unix.Dup3(int(null.Fd()), fd, 0); err != nil { //nolint:gosec // descriptors are small
			return fmt.Errorf("releasing descriptor %d: %w", fd, err)
		}
	}
	return nil
}

// shellStatus returns the exit status by which shells describe the end of a program.
func shellStatus(err error) int {
	if exit, ok := err.(*exec.ExitError); ok { //nolint:errorlint // the error of Wait is not wrapped
		if wait, ok := exit.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
			return 128 + int(wait.Signal())
		}
	}
	code, _ := ExitCode(err)
	return code
}
