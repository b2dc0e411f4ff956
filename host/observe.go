package host

import (
	"time"

	"github.com/idelchi/aura/shared"
)

// Call is a finished call of a plugin.
type Call struct {
	Plugin string
	// Point is the name of the hook, or PointTool, PointPaths, PointCommand or PointEvent.
	Point string
	// Request is the shared.HookCall, ToolCall, PathsCall, CommandCall or EventCall that was made. Out is the result, nil if there is none. Of failed calls only a hook may have one.
	// The observer must not change them.
	Request, Out any
	// Err is the reason why the call failed.
	Err error
	span
}

// In returns the context of a hook, or nil for other calls.
func (c Call) In() any {
	if hook, ok := c.Request.(shared.HookCall); ok {
		return hook.Context
	}
	return nil
}

// The values of Point for calls other than hooks.
const (
	PointTool    = "tool"
	PointPaths   = "paths"
	PointCommand = "command"
	PointEvent   = "event"
)

// span is what the supervisor knows about a call beside its result. Times are wall-clock times.
type span struct {
	// Waited is the time until the child could be called. Took is how long the child worked on the call.
	Waited, Took time.Duration
	// Version is the hash of the plugin's files when the child was started, Child its number among the plugin's processes; a process for
	// one call has number 0. Both are set only if OnCall is.
	Version string
	Child   int
	// Asked is what the plugin asked of aura during the call. Mixed reports that some of it may belong to another call, because the child
	// ran more than one or asked while no call was running.
	Asked []Ask
	Mixed bool
}

// StateChange reports that a plugin's state changed, or that its child was replaced.
type StateChange struct {
	Plugin   string
	From, To State
	// Pid is the process ID of the child as aura sees it, or 0 if there is no child.
	Pid int
	// Reason is why there is no child. It is nil if there is a child, or while the first one starts.
	Reason error
}
