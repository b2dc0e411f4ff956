package sandbox

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// archRefusedCalls exist on this architecture alone.
var archRefusedCalls []uint32
