package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

// archRefusedCalls lists the refused calls that exist only on this architecture.
var archRefusedCalls = []uint32{
	unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS,
	unix.SYS_QUERY_MODULE, unix.SYS_USELIB, unix.SYS__SYSCTL,
}

// watchCalls lists the calls that watch directories.
var watchCalls = []uint32{unix.SYS_INOTIFY_INIT, unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH}

// forkCalls lists the calls besides clone that start a process.
var forkCalls = []uint32{unix.SYS_FORK, unix.SYS_VFORK}
