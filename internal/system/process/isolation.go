package process

import "sync/atomic"

// Isolation says how far a process is separated from the rest of the system.
type Isolation int

// The levels of isolation. Each level includes the previous one.
const (
	// SharedNamespaces gives the process its own session, or a job object on Windows.
	SharedNamespaces Isolation = iota
	// OwnProcesses makes the process the first one of a process namespace: its descendants end with it, and it sees no other
	// processes. It also separates the shared memory and message queues by which processes of a user could otherwise communicate.
	OwnProcesses
	// OwnMounts adds mounts that the process can change. The process must confine itself, which ends its right to change mounts.
	OwnMounts
)

// forbidden holds the levels that the system turned out not to allow.
var forbidden [OwnMounts + 1]atomic.Bool
