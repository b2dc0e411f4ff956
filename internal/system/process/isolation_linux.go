package process

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// mostIsolation is the highest level that this system supports.
const mostIsolation = OwnMounts

// Apply makes a process start with this isolation. Starting the process fails if the system forbids it.
func (i Isolation) Apply(attr *syscall.SysProcAttr) {
	if i >= OwnProcesses {
		attr.Cloneflags |= syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC
	}
	if i >= OwnMounts {
		attr.Cloneflags |= syscall.CLONE_NEWNS
	}
	if i == SharedNamespaces || os.Geteuid() == 0 {
		return
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	if i >= OwnMounts {
		// A user other than root loses the other capabilities of the namespace when the program starts. Two are for a network namespace that
		// the process makes. The last four are for file systems that are mounted there: the kernel maintains their layers with the
		// capabilities of the process that mounted them.
		attr.AmbientCaps = []uintptr{
			unix.CAP_SYS_ADMIN, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID,
		}
	}
}

// namespacesForbidden reports whether err can mean that the system does not allow namespaces.
func namespacesForbidden(err error) bool {
	return errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSYS)
}
