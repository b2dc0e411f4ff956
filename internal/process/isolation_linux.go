package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostIsolation is the most that this system has.
const mostIsolation = OwnMounts

// Apply makes a process start with this isolation. That fails where the system forbids it.
func (i Isolation) Apply(attr *syscall.SysProcAttr) {
	if i >= OwnProcesses {
		attr.Cloneflags |= syscall.CLONE_NEWPID
	}
	if i >= OwnMounts {
		attr.Cloneflags |= syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC
	}
	if i == SharedNamespaces || os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	if i >= OwnMounts {
		// Whoever is not root loses the namespace's capabilities when the program starts, but for these.
		attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP}
	}
}

// namespacesForbidden reports whether starting a process may have failed because the system allows it no namespaces.
func namespacesForbidden(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS)
}
