package host

import (
	"context"
	"fmt"
	"sync"
)

// reporter passes to the observer what happens to one plugin: calls at once, all else in order through the outbox.
type reporter struct {
	// plugin is the plugin's name, which never changes.
	plugin string
	to     *Observer
	out    outbox
	// fixed has the session and the secrets.
	fixed *Fixed
	// failedOpen runs once: then the user knows that the plugin failed as a guard.
	failedOpen sync.Once
	// last is the state that was reported last. The lock of the life cycle guards it.
	last struct {
		state State
		child *child
	}
}

func newReporter(plugin string, o *Options) *reporter {
	r := &reporter{plugin: plugin, to: &o.Observer, fixed: &o.Fixed}
	r.last.state = StateStopped
	return r
}

// notify shows the user a notice. The caller may hold the lock of the life cycle.
func (r *reporter) notify(kind NoticeKind, text string) {
	if r.to.OnNotice != nil {
		r.out.post(func() { r.to.OnNotice(Notice{Plugin: r.plugin, Kind: kind, Text: text}) })
	}
}

func (r *reporter) warn(warnings []string) {
	for _, w := range warnings {
		r.notify(NoticeWarning, fmt.Sprintf("plugin %q: %s", r.plugin, w))
	}
}

// call reports a finished call. ctx is the context of the call.
func (r *reporter) call(ctx context.Context, c Call) {
	if r.to.OnCall == nil {
		return
	}
	c.Plugin = r.plugin
	r.to.OnCall(ctx, c)
}

// state reports the state of a plugin and its child, if it differs from the one reported last. down is why there is no child. The caller
// holds the lock of the life cycle.
func (r *reporter) state(now State, cur *child, down error) {
	if now == r.last.state && cur == r.last.child {
		return
	}
	if cur != nil && (cur.killedFor != "" || cur.proc.dead()) {
		return // the child is not ready again, although its call is over: its death is about to change the state
	}
	change := StateChange{Plugin: r.plugin, From: r.last.state, To: now, Reason: down}
	if cur != nil {
		change.Pid = cur.proc.pid()
	}
	r.last.state, r.last.child = now, cur
	r.recordEnd(change) // at once, so that it precedes the start of the next child
	if r.to.OnState != nil {
		r.out.post(func() { r.to.OnState(change) })
	}
}

// logLine reports a line of the plugin's log. The log is locked.
func (r *reporter) logLine(level, text string) {
	r.out.postLine(func() { r.to.OnLog(r.plugin, level, text) }, func(n int) {
		r.to.OnLog(r.plugin, "warn", fmt.Sprintf("[aura] %d lines are only in the log, because they came faster than they were read", n))
	})
}

// flush waits until everything that was reported before is delivered. No lock of the host may be held.
func (r *reporter) flush() { r.out.flush() }
