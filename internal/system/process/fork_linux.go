package process

import (
	"errors"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Fork runs f on the one thread that starts processes, and returns the error of f. The kernel sends a process its death signal
// when the thread that forked the process ends, so this thread lives as long as the program. f must not call Fork.
func Fork(f func() error) error {
	done := make(chan error)
	forker() <- func() { done <- f() }
	return <-done
}

var forker = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// attributes makes the kernel kill the process when aura ends in any way. A process that must end its descendants itself is not
// killed. The kernel sends it SIGCONT, so that a stopped process continues and finds its lifeline broken.
func attributes(s Spec, level Isolation) *syscall.SysProcAttr {
	if s.Outlive {
		return &syscall.SysProcAttr{}
	}
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setctty: s.Terminal}
	if (s.Reaper || s.Terminal) && level == SharedNamespaces {
		attr.Pdeathsig = syscall.SIGCONT
	}
	level.Apply(attr)
	return attr
}

// awaitEnd waits until a child has ended, without reaping it. It returns false if the system cannot do that.
func awaitEnd(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
