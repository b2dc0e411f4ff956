package host

import "time"

// Call is a finished call of a plugin.
type Call struct {
	Plugin string
	// Point is the name of the hook, or PointTool, PointPaths, PointCommand or PointEvent.
	Point string
	// In and Out are a hook's context and result, nil for other calls. The observer must not change them.
	In, Out any
	// Err is the reason why the call failed.
	Err error
	span
}

// The values of Point for calls other than hooks.
const (
	PointTool    = "tool"
	PointPaths   = "paths"
	PointCommand = "command"
	PointEvent   = "event"
)

// span is how long a call took, in wall-clock time.
type span struct {
	// Waited is the time until the child could be called. Took is how long the child worked on the call.
	Waited, Took time.Duration
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

// observe reports a finished call to OnCall, if it is set.
func (s *supervisor) observe(point string, took span, in, out any, err error) {
	if s.opts.OnCall == nil {
		return
	}
	s.opts.OnCall(Call{Plugin: s.specNow().Name, Point: point, In: in, Out: out, Err: err, span: took})
}

// observeState reports the current state to OnState, if it is set and the state differs from the one reported last. The caller
// holds the lock, so that changes are reported in order.
func (s *supervisor) observeState() {
	if s.opts.OnState == nil {
		return
	}
	now := s.stateNow()
	if now == s.observed.state && s.cur == s.observed.child {
		return
	}
	if s.cur != nil && (s.cur.killedFor != "" || s.cur.proc.dead()) {
		return // the child is not ready again, although its call is over: its death is about to change the state
	}
	change := StateChange{Plugin: s.spec.Name, From: s.observed.state, To: now, Reason: s.down}
	if s.cur != nil {
		change.Pid = s.cur.proc.pid()
	}
	s.observed.state, s.observed.child = now, s.cur
	s.opts.OnState(change)
}

// stateNow returns the state that users see. The caller holds the lock.
func (s *supervisor) stateNow() State {
	if s.state == StateReady && s.cur.inflight > 0 {
		return StateBusy
	}
	return s.state
}
