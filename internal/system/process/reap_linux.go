package process

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Reaps reports whether Reaped has an effect.
const Reaps = true

// reaperName is the name of a reaper in lists of processes. It may be started from a descriptor, which has no name.
const reaperName = "aura"

// reaperLifeline is the descriptor by which a reaper notices that aura is gone; see Spec.Lifeline.
const reaperLifeline = 3

// Reaped returns the specification of the same program below a reaper, which ends all descendants of the program: also one that
// left its group, has lost its parents, and was started with an environment without the mark. self is a program that calls Reap
// if its first argument is ReaperArgument. The specification must not have Files.
func (s Spec) Reaped(self string) Spec {
	s.Args = slices.Concat([]string{reaperName, ReaperArgument, s.Linger.String(), s.Path}, s.Args)
	s.Path = self
	s.Lifeline, s.Reaper, s.Orderly, s.Guard = true, true, true, false
	return s
}

// Reap runs a program and returns its exit status, or 128 and the number of the signal that killed it. args are Spec.Linger,
// the path of the program, its name and its arguments. Reap passes requests to end on to the program. It kills everything that
// the program left, once Linger is over or aura is gone. Reap changes the descriptors of the whole process, so no other process
// may call it.
func Reap(args []string) int {
	const expected = 3
	if len(args) < expected {
		return reaperFault(fmt.Errorf("%s is for aura's own use", ReaperArgument))
	}
	linger, err := time.ParseDuration(args[0])
	if err != nil {
		return reaperFault(err)
	}
	unix.CloseOnExec(reaperLifeline)
	// The group of this process is asked to end, but the program has a group of its own.
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
	ended, quiet := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(ended, unix.SIGCHLD)
	if err := AdoptOrphans(); err != nil {
		return reaperFault(err)
	}
	p, err := Start(Spec{
		Path: args[1], Args: args[2:], Env: os.Environ(), //nolint:forbidigo // aura chose this environment for the program
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Linger: linger, quiet: quiet,
	})
	if err != nil {
		return reaperFault(err)
	}
	defer KillChildren()
	// If this process kept the streams, aura would not notice that the program closed them.
	if err := releaseStreams(); err != nil {
		return reaperFault(err)
	}
	go reapOrphans(p.Pid(), ended, quiet)
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

// reapOrphans reaps the orphans that this process adopted, whenever a child ends: a program may run for days and leave many. It
// does not reap the program itself. It closes quiet when the program has ended and no other child is left.
func reapOrphans(program int, ended <-chan os.Signal, quiet chan<- struct{}) {
	for range ended {
		left := 0
		for _, pid := range children("self") {
			if pid == program {
				continue
			}
			if got, err := unix.Wait4(pid, nil, unix.WNOHANG, nil); err == nil && got == 0 {
				left++
			}
		}
		if left == 0 && quiet != nil && !statusOf(program).alive() {
			close(quiet)
			quiet = nil
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
