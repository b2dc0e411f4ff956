//go:build unix

package gocmd

import "golang.org/x/sys/unix"

// niceness is the priority of builds: sessions go first.
const niceness = 10

// yield lowers the priority of this process and of those that it starts. A failure costs only the priority.
func yield() { _ = unix.Setpriority(unix.PRIO_PROCESS, 0, niceness) }
