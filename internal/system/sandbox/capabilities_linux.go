package sandbox

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
	"kernel.org/pub/linux/libs/security/libcap/psx"

	"github.com/idelchi/aura/internal/system/process"
)

// prctl makes the prctl system call on the threads that it is meant for.
type prctl func(option int, arg2, arg3, arg4, arg5 uintptr) error

// dropCapabilities drops the capabilities of all threads. A started program cannot gain a capability, because the process has
// set no_new_privs. If the policy allows programs, dropCapabilities also empties the bounding set with bound, as a second
// barrier.
func dropCapabilities(p Policy, bound prctl) error {
	for c := uintptr(0); (p.Exec || p.Program != "") && c <= unix.CAP_LAST_CAP; c++ {
		err := bound(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		switch {
		case err == nil:
		case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EPERM):
			// EINVAL: the kernel does not know the capability. EPERM: the process has no capability to drop, and no right to
			// drop one.
		default:
			return fmt.Errorf("dropping capability %d: %w", c, err)
		}
	}
	return dropAll()
}

// onForker makes the call only on the thread of process.Fork. Stopping all threads for each capability would take longer than
// all other steps of confining a process. The thread of process.Fork starts every program of internal/system/process, so that no such
// program can gain a capability.
func onForker(option int, arg2, arg3, arg4, arg5 uintptr) error {
	return process.Fork(func() error { return unix.Prctl(option, arg2, arg3, arg4, arg5) })
}

// dropAll empties the capability sets of every thread. This empties the ambient sets too, which never hold more than the other
// sets. The kernel keeps the sets per thread, and Go moves code between threads at will.
func dropAll() error {
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	none := &[2]unix.CapUserData{}
	_, _, errno := psx.Syscall3(unix.SYS_CAPSET, uintptr(unsafe.Pointer(header)), uintptr(unsafe.Pointer(none)), 0)
	if errno != 0 {
		return fmt.Errorf("dropping capabilities: %w", errno)
	}
	return nil
}
