package sandbox

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// namespaces are what a confined process has for itself beside its processes: mounts, and the shared memory and queues by which
// processes of a user could otherwise meet.
const namespaces = syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC

// Isolate makes a process start in namespaces of its own, whose mounts it can still change: it must call Confine, which ends
// that. Starting it fails where the system forbids this; see Forbidden.
func Isolate(attr *syscall.SysProcAttr) Isolation {
	IsolateProcesses(attr)
	attr.Cloneflags |= namespaces
	if os.Geteuid() != 0 {
		// Whoever is not root loses the namespace's capabilities when the program starts, but for these.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	}
	return Isolation{Processes: true, Mounts: true}
}

// IsolateProcesses makes a process start as the first one of a process namespace: all its descendants die with it, and it sees
// no others. It may be called before Isolate, which does the same.
func IsolateProcesses(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= syscall.CLONE_NEWPID
	if os.Geteuid() != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
}

// Forbidden reports whether starting a process failed because the system allows it no namespaces.
func Forbidden(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS)
}
