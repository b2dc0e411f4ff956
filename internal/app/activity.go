package app

import (
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
)

// activity is what a session does, for other processes that ask. Its methods may be called from any goroutine. The zero value is idle.
type activity struct {
	mu sync.Mutex
	// lines is how many lines run: a command may run others. The session is idle while none runs.
	lines int
	// model is set while a model is asked, and compacting while a summary is written.
	model, compacting bool
	// tools holds the names of the tools that run, by the ids of their calls. asked holds the tools whose calls wait for an answer.
	tools map[string]string
	asked []string

	state session.Activity
	since time.Time
}

// begin marks that a line runs, until the result is called.
func (a *activity) begin() func() {
	a.change(func() { a.lines++ })
	return func() {
		a.change(func() {
			a.lines--
			if a.lines == 0 {
				a.model, a.compacting, a.tools = false, false, nil
			}
		})
	}
}

// event follows the events of the conversation.
func (a *activity) event(ev event.Event) {
	switch e := ev.(type) {
	case event.Request:
		a.change(func() { a.model, a.compacting = true, false })
	case event.Message, event.Error, event.Done:
		a.change(func() { a.model = false })
	case event.ToolCall:
		a.change(func() {
			if a.tools == nil {
				a.tools = map[string]string{}
			}
			a.tools[e.ID] = e.Name
		})
	case event.ToolResult:
		a.change(func() { delete(a.tools, e.ID) })
	case event.Waiting:
		a.change(func() { a.compacting = e.For == event.ForCompaction })
	case event.Compaction:
		a.change(func() { a.compacting = false })
	}
}

// waits marks that something waits for an answer of the user, until the returned function is called.
func (a *activity) waits(what string) (end func()) {
	a.change(func() { a.asked = append(a.asked, what) })
	return func() {
		a.change(func() {
			i := slices.Index(a.asked, what)
			a.asked = slices.Delete(a.asked, i, i+1)
		})
	}
}

// change changes the fields, and notes the time if the state is another one then.
func (a *activity) change(how func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	how()
	if now := a.now(); now != a.state || a.since.IsZero() {
		a.state, a.since = now, time.Now()
	}
}

// now returns the state. The caller holds the lock.
func (a *activity) now() session.Activity {
	switch {
	case len(a.asked) > 0:
		return session.ActivityApproval
	case a.lines == 0:
		return session.ActivityIdle
	case a.compacting:
		return session.ActivityCompaction
	case len(a.tools) > 0:
		return session.ActivityTool
	case a.model:
		return session.ActivityModel
	default:
		return session.ActivityWork
	}
}

// fill writes the state into a report.
func (a *activity) fill(to *session.Live) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to.State, to.Since = a.now(), a.since
	switch to.State {
	case session.ActivityApproval:
		to.For = slices.Clone(a.asked)
	case session.ActivityTool:
		to.For = slices.Compact(slices.Sorted(maps.Values(a.tools)))
	default: // nothing is named in the other states
	}
}

// report returns the state of the session for other processes.
func (s *Session) report() session.Live {
	now := s.Status()
	out := session.Live{
		ID: now.SessionID, Pid: os.Getpid(), Workdir: now.Workdir, Agent: now.Agent, Mode: now.Mode, Provider: now.Provider, Model: now.Model,
		Title: now.Title, Context: now.Context, Limit: now.Limit, Percent: now.Percent, TokensIn: now.TokensIn, TokensOut: now.TokensOut,
		CostUSD: now.CostUSD, Turn: s.journal.flight.lastTurn(),
	}
	s.running.activity.fill(&out)
	out.Questions = s.running.questions.list()
	return out
}
