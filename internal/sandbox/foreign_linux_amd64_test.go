package sandbox_test

import "golang.org/x/sys/unix"

// foreignCalls are by the numbers of the other interface that the architecture has.
var foreignCalls = map[string]uintptr{"call of x32": 0x40000000 + unix.SYS_GETPID}
