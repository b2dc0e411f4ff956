package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archRefusedCalls lists the refused calls that exist only on this architecture.
var archRefusedCalls []uint32

// watchCalls lists the calls that watch directories.
var watchCalls = []uint32{unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH}

// forkCalls lists the calls besides clone that start a process.
var forkCalls []uint32
