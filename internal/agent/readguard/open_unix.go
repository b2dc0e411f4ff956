//go:build unix

package readguard

import "syscall"

// nonblock prevents opening a pipe from waiting for its other end.
const nonblock = syscall.O_NONBLOCK
