//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The descriptors of Lead. leadProgram is open if the program was started from a descriptor.
const (
	leadEvents = firstFile + iota
	leadOrders
	leadProgram
)

// Lead runs a program as the job in the foreground of its terminal, whose session this process leads. args are the path of the program, its
// name and its arguments. A program without such a leader cannot be stopped by its terminal: the kernel stops no process whose parents
// are all in another session.
//
// Lead reports on descriptor 3 that the job was stopped, and continues it when descriptor 4 has a byte. After the end of the program it waits for
// the end of descriptor 4, because the terminal loses what was typed when the leader ends.
func Lead(args []string) int {
	events, orders := os.NewFile(leadEvents, "events"), os.NewFile(leadOrders, "orders")
	for fd := leadEvents; fd <= leadProgram; fd++ {
		unix.CloseOnExec(fd)
	}
	ended := "reading the arguments: " + LeadArgument + " is for aura's own use"
	if len(args) > 1 {
		ended = lead(args, events, orders)
	}
	if _, err := fmt.Fprintln(events, LeadEnded+strings.ReplaceAll(ended, "\n", " ")); err != nil {
		return ReaperStatus
	}
	for awaitOrder(orders) {
	}
	return 0
}

// lead runs the program and returns how it ended.
func lead(args []string, events, orders *os.File) string {
	cmd := &exec.Cmd{
		Path: args[0], Args: args[1:], Env: os.Environ(), //nolint:forbidigo // aura chose this environment for the program
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	// Until the program is the job in the foreground, the terminal signals this process.
	early := make(chan os.Signal, 1)
	signal.Notify(early, unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP)
	if err := cmd.Start(); err != nil {
		return err.Error()
	}
	job := cmd.Process.Pid
	go func() {
		for s := range early {
			if s, ok := s.(unix.Signal); ok {
				_ = unix.Kill(-job, s) // a job that is gone needs no signal
			}
		}
	}()
	if err := unix.IoctlSetPointerInt(int(os.Stdin.Fd()), unix.TIOCSPGRP, job); err != nil {
		return errors.Join(err, cmd.Process.Kill()).Error()
	}
	return follow(job, events, orders)
}

// follow returns how the job ended.
func follow(job int, events, orders *os.File) string {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(job, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err.Error()
		case status.Stopped() && status.StopSignal() != unix.SIGTTIN && status.StopSignal() != unix.SIGTTOU:
			if _, err := fmt.Fprintln(events, LeadStopped); err != nil || !awaitOrder(orders) {
				return fmt.Sprint("aura is gone: ", unix.Kill(-job, unix.SIGKILL))
			}
			fallthrough
		case status.Stopped():
			// A program that used the terminal before it was the job in the foreground is stopped too.
			if err := unix.Kill(-job, unix.SIGCONT); err != nil {
				return err.Error()
			}
		case status.Signaled():
			return "signal: " + status.Signal().String()
		case status.ExitStatus() != 0:
			return fmt.Sprintf("exit status %d", status.ExitStatus())
		default:
			return ""
		}
	}
}

// awaitOrder waits for a byte. It returns false if none can come.
func awaitOrder(orders *os.File) bool {
	n, err := orders.Read(make([]byte, 1))
	return n > 0 && err == nil
}
