//go:build unix

package gocmd

import "golang.org/x/sys/unix"

// niceness is the priority of builds: sessions go first.
const niceness = 10

// Yield lowers the priority of this process and of those that it starts. A failure costs only the priority.
func Yield() { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) }
