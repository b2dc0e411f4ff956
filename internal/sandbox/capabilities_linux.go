package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"

	"github.com/idelchi/aura/internal/process"
)

// prctl is that system call, on the threads that it is meant for.
type prctl func(option int, arg2, arg3, arg4, arg5 uintptr) error

// dropCapabilities leaves no capability to any thread. No program that is started gains one, since the process has forgone new
// privileges; that none could is made sure of as well, where programs can be started at all.
func dropCapabilities(p Policy, bound prctl) error {
	for c := uintptr(0); p.Exec && c <= unix.CAP_LAST_CAP; c++ {
		err := bound(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case err == nil:
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EPERM):
			// The kernel does not know it, or there is none to drop and no right to say so.
		default:
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	return dropAll()
}

// onForker makes the call on the thread of process.Fork alone. To stop all threads for each capability would take longer than everything
// else that confines a process. No capability can come to a program that is started by internal/process.
func onForker(option int, arg2, arg3, arg4, arg5 uintptr) error {
	return process.Fork(func() error { return unix.Prctl(option, arg2, arg3, arg4, arg5) })
}

// dropAll empties the capability sets of every thread, the ambient ones too: those never hold more than the others. They are kept per
// thread, and Go moves code between threads at will.
func dropAll() error {
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	none := &[2]unix.CapUserData{}
	_, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(none)), 0)
	if errno != 0 {
		return fmt.Errorf("dropping capabilities: %w", errno)
	}
	return nil
}
