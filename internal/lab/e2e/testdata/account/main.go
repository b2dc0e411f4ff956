//go:build linux

// Command account runs a program and writes a line for every process that it and its descendants start, and for every program
// that these execute. The kernel stops the tracer at each of them, so that none is too short to be seen.
//
// Usage: account FILE PROGRAM [ARGUMENT...]
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
)

// refused is the exit code where the kernel lets nobody be traced.
const refused = 125

// failed is the exit code where the account is not complete.
const failed = 126

// exitKill ends the traced processes with the tracer; package syscall has no name for it.
const exitKill = 0x100000

// options are the events that stop a traced process.
const options = exitKill | syscall.PTRACE_O_TRACEFORK | syscall.PTRACE_O_TRACEVFORK | syscall.PTRACE_O_TRACECLONE | syscall.PTRACE_O_TRACEEXEC

func main() {
	runtime.LockOSThread() // the tracer is a thread
	file, err := os.Create(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "account:", err)
		os.Exit(failed)
	}
	code, err := trace(file, os.Args[2:])
	if err := errors.Join(err, file.Close()); err != nil {
		fmt.Fprintln(os.Stderr, "account:", err)
		code = failed
	}
	if errors.Is(err, syscall.EPERM) {
		code = refused
	}
	os.Exit(code)
}

// tracer follows a program and all of its descendants.
type tracer struct {
	file *os.File
	root int
	code int
	// known are the threads that have stopped once. The first stop of a new one is the tracer's own doing.
	known map[int]bool
}

// trace returns the program's exit code when all that it started has ended.
func trace(file *os.File, line []string) (int, error) {
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting %s: %w", line[0], err)
	}
	t := &tracer{file: file, root: cmd.Process.Pid, known: map[int]bool{cmd.Process.Pid: true}}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(t.root, &status, 0, nil); err != nil {
		return 0, fmt.Errorf("waiting for %s: %w", line[0], err)
	}
	if err := syscall.PtraceSetOptions(t.root, options); err != nil {
		return 0, fmt.Errorf("tracing %s: %w", line[0], err)
	}
	if err := syscall.PtraceCont(t.root, 0); err != nil {
		return 0, fmt.Errorf("tracing %s: %w", line[0], err)
	}
	return t.follow()
}

func (t *tracer) follow() (int, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.ECHILD):
			return t.code, nil
		case err != nil:
			return 0, err
		case status.Stopped():
			if err := t.stopped(pid, status); err != nil {
				return 0, err
			}
		case pid == t.root && status.Signaled():
			t.code = 128 + int(status.Signal())
		case pid == t.root:
			t.code = status.ExitStatus()
		}
	}
}

// stopped notes why a thread has stopped and lets it continue, with the signal that it was sent.
func (t *tracer) stopped(pid int, status syscall.WaitStatus) error {
	signal := status.StopSignal()
	fresh := !t.known[pid]
	t.known[pid] = true
	var err error
	switch cause := status.TrapCause(); {
	case cause == syscall.PTRACE_EVENT_EXEC:
		err = t.note("exec", pid)
		signal = 0
	case cause == syscall.PTRACE_EVENT_FORK || cause == syscall.PTRACE_EVENT_VFORK:
		err = t.note("start", pid)
		signal = 0
	case cause == syscall.PTRACE_EVENT_CLONE:
		err = t.cloned(pid)
		signal = 0
	case fresh && signal == syscall.SIGSTOP:
		signal = 0
	}
	// A thread that was killed meanwhile is not there to continue.
	if failure := syscall.PtraceCont(pid, int(signal)); !errors.Is(failure, syscall.ESRCH) {
		err = errors.Join(err, failure)
	}
	return err
}

// cloned notes what was made without a signal for its end, if it is a process and no thread. If the parent or the child was killed
// meanwhile, the child has run nothing.
func (t *tracer) cloned(parent int) error {
	child, err := syscall.PtraceGetEventMsg(parent)
	if err != nil {
		return nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", child))
	if err != nil || !strings.Contains(string(text), fmt.Sprintf("\nTgid:\t%d\n", child)) {
		return nil
	}
	return t.note("start", int(child))
}

// note writes one line: what happened, and the program and arguments of the process that it happened in.
func (t *tracer) note(what string, pid int) error {
	program, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	_, err := fmt.Fprintf(t.file, "%s %s: %q\n", what, program, strings.ReplaceAll(strings.TrimRight(string(line), "\x00"), "\x00", " "))
	return err
}
