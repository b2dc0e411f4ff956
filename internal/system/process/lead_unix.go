//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
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
// Lead reports on descriptor 3 that the job was stopped, and continues it when descriptor 4 has a byte. The end of descriptor 4 ends the job: aura is
// gone then. After the end of the program Lead waits for it, because the terminal loses what was typed when the leader ends.
func Lead(args []string) int {
	events, orders := os.NewFile(leadEvents, "events"), os.NewFile(leadOrders, "orders")
	for fd := leadEvents; fd <= leadProgram; fd++ {
		unix.CloseOnExec(fd)
	}
	// The kernel hangs up on the leader when the terminal of aura is gone. The leader still has to end the job. Signals that are ignored would be
	// ignored by the program too.
	signal.Notify(make(chan os.Signal, 1), unix.SIGHUP)
	ended := "reading the arguments: " + LeadArgument + " is for aura's own use"
	j := &job{}
	obeyed := make(chan struct{})
	go func() {
		defer close(obeyed)
		j.obey(orders)
	}()
	if len(args) > 1 {
		ended = j.lead(args, events)
	}
	// If aura is gone, nobody needs to know.
	_, _ = fmt.Fprintln(events, LeadEnded+strings.ReplaceAll(ended, "\n", " "))
	<-obeyed
	return 0
}

// job is the process group of the program.
type job struct {
	mu sync.Mutex
	// group is 0 until the program has started, and after its end. ended is set if there are no more orders.
	group int
	ended bool
}

// set sets the group. A program that starts after the last order is killed.
func (j *job) set(group int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.group = group; j.ended && group != 0 {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
}

// signal signals the job, if it runs.
func (j *job) signal(s unix.Signal) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.group != 0 {
		_ = unix.Kill(-j.group, s) // a job that is gone needs no signal
	}
}

// obey continues the job at each order, and kills it after the last one.
func (j *job) obey(orders *os.File) {
	for {
		if n, err := orders.Read(make([]byte, 1)); n == 0 || err != nil {
			break
		}
		j.signal(unix.SIGCONT)
	}
	j.mu.Lock()
	j.ended = true
	j.mu.Unlock()
	j.signal(unix.SIGKILL)
}

// lead runs the program and returns how it ended.
func (j *job) lead(args []string, events *os.File) string {
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
	pid := cmd.Process.Pid
	j.set(pid)
	defer j.set(0)
	go func() {
		for s := range early {
			if s, ok := s.(unix.Signal); ok {
				j.signal(s)
			}
		}
	}()
	if err := unix.IoctlSetPointerInt(int(os.Stdin.Fd()), unix.TIOCSPGRP, pid); err != nil {
		return errors.Join(err, cmd.Process.Kill()).Error()
	}
	return j.follow(pid, events)
}

// follow returns how the program ended.
func (j *job) follow(pid int, events *os.File) string {
	for {
		var status unix.WaitStatus
		_, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err.Error()
		case status.Stopped() && status.StopSignal() != unix.SIGTTIN && status.StopSignal() != unix.SIGTTOU:
			_, _ = fmt.Fprintln(events, LeadStopped) // if aura is gone, there are no more orders
		case status.Stopped():
			// A program that used the terminal before it was the job in the foreground is stopped too.
			j.signal(unix.SIGCONT)
		case status.Signaled():
			return "signal: " + status.Signal().String()
		case status.ExitStatus() != 0:
			return fmt.Sprintf("exit status %d", status.ExitStatus())
		default:
			return ""
		}
	}
}
