package process

import "sync/atomic"

// Isolation is how much of the system a process has for itself.
type Isolation int

// Each level includes the one before.
const (
	// SharedNamespaces is a session of its own, or a job object on Windows.
	SharedNamespaces Isolation = iota
	// OwnProcesses makes the process the first one of a process namespace: its descendants end with it, and it sees no others.
	OwnProcesses
	// OwnMounts adds mounts that the process can change, and the shared memory and queues by which processes of a user could
	// otherwise meet. The process must confine itself, which ends its right to change mounts.
	OwnMounts
)

// forbidden holds what the system turned out not to allow, by level.
var forbidden [OwnMounts + 1]atomic.Bool
