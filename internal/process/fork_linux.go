package process

import (
	"errors"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Fork runs f on the one thread that starts processes, and returns what f returns. The signal by which the kernel ends a process when its
// parent is gone follows the thread that forked it, so this one lives as long as the program. f must not call Fork.
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

// attributes has the kernel kill the process when aura is gone, however it went. A process that must end its descendants itself is not
// killed but woken, should it be stopped, to find its lifeline broken.
func attributes(s Spec, level Isolation) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if s.Reaper && level == SharedNamespaces {
		attr.Pdeathsig = syscall.SIGCONT
	}
	level.Apply(attr)
	return attr
}

// awaitEnd returns when a child has ended, without reaping it. It is false where the system cannot do that.
func awaitEnd(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
