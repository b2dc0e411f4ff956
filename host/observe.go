package host

import "time"

// Call is a call of a plugin that has ended.
type Call struct {
	Plugin string
	// Point is the name of the hook, or PointTool, PointPaths or PointCommand.
	Point string
	// In and Out are a hook's context and result, nil for other calls. The observer must not change them.
	In, Out any
	// Err is why the call failed.
	Err error
	span
}

// What is called beside hooks.
const (
	PointTool    = "tool"
	PointPaths   = "paths"
	PointCommand = "command"
)

// span is how long a call took, in wall-clock time.
type span struct {
	// Waited is the time until the child could be called, Took the time that it worked on the call.
	Waited, Took time.Duration
}

// StateChange is a plugin that went from one state to another, or whose child was replaced.
type StateChange struct {
	Plugin   string
	From, To State
	// Pid is the child's process number as aura sees it; 0 if there is none.
	Pid int
	// Reason is why there is no child; nil if there is one, or if it is the first.
	Reason error
}

// observe reports a call that has ended, if somebody listens.
func (s *supervisor) observe(point string, took span, in, out any, err error) {
	if s.opts.OnCall == nil {
		return
	}
	s.opts.OnCall(Call{Plugin: s.specNow().Name, Point: point, In: in, Out: out, Err: err, span: took})
}

// observeState reports the present state if it is not the one that was reported last, and if somebody listens. The caller holds
// the lock, so that changes are reported in their order.
func (s *supervisor) observeState() {
	if s.opts.OnState == nil {
		return
	}
	now := s.stateNow()
	if now == s.observed.state && s.cur == s.observed.child {
		return
	}
	if s.cur != nil && (s.cur.killedFor != "" || s.cur.proc.dead()) {
		return // it is not ready again, although its call is over: its death is about to change the state
	}
	change := StateChange{Plugin: s.spec.Name, From: s.observed.state, To: now, Reason: s.down}
	if s.cur != nil {
		change.Pid = s.cur.proc.pid()
	}
	s.observed.state, s.observed.child = now, s.cur
	s.opts.OnState(change)
}

// stateNow is the state as users see it. The caller holds the lock.
func (s *supervisor) stateNow() State {
	if s.state == StateReady && s.cur.inflight > 0 {
		return StateBusy
	}
	return s.state
}
