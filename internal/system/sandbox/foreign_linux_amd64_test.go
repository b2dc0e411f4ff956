package sandbox_test

import "golang.org/x/sys/unix"

// foreignCalls holds calls by their numbers in the other interface of the architecture.
var foreignCalls = map[string]uintptr{"call of x32": 0x40000000 + unix.SYS_GETPID}
