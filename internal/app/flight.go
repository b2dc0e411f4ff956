package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/author/recording"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/redact"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/shared"
)

// flight is the flight recorder of a session: it writes down what plugins did and what was decided. Its methods may be called from any
// goroutine. A failure ends the recorder, not the session.
type flight struct {
	secrets *redact.Current
	// audit writes decisions to the audit log too, whether or not there is a journal.
	audit auditor

	mu sync.Mutex
	// notices wait for the user: events may not be sent while one is handled.
	notices []string
	journal *session.Journal
	// whole is the recording of whole calls; nil if there is none.
	whole *recording.Writer
	// turn is the number of the last model call. between is set while no interaction runs, so that what happens belongs to the next call.
	turn    int
	between bool
	// chunks sums up the calls of plugins that observe the answer that streams in now.
	chunks map[string]*session.Fact
	// children holds the newest process of each plugin.
	children map[string]*liveChild
	// lost is set when the journal takes no more facts.
	lost bool
}

// liveChild is a process of a plugin. called is set once it was called.
type liveChild struct {
	host.Started
	called bool
}

func newFlight(secrets *redact.Current) *flight {
	f := &flight{secrets: secrets, between: true, chunks: make(map[string]*session.Fact), children: make(map[string]*liveChild)}
	f.audit = auditor{secrets: secrets, session: f.sessionID, subjects: map[string]string{}}
	return f
}

// tell keeps a notice until takeNotices is called. The caller holds the lock.
func (f *flight) tell(text string) { f.notices = append(f.notices, text) }

// takeNotices returns the notices that wait.
func (f *flight) takeNotices() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.notices
	f.notices = nil
	return out
}

// use makes the flight recorder write to a journal, and ends the recording. turn is the number of the last model call of the journal.
func (f *flight) use(j *session.Journal, turn int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush()
	err := f.whole.Close()
	f.journal, f.whole, f.turn, f.between, f.lost = j, nil, turn, true, false
	return err
}

// record makes the flight recorder also write whole calls. It owns w from now on.
func (f *flight) record(w *recording.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.whole = w
	for _, plugin := range slices.Sorted(maps.Keys(f.children)) {
		f.keepWhole(w.Start(f.children[plugin].Started, f.children[plugin].called))
	}
}

// recording reports whether whole calls are written.
func (f *flight) recording() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.whole != nil
}

// close writes what waits, and ends the recording.
func (f *flight) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush()
	err := f.whole.Close()
	f.journal, f.whole = nil, nil
	return err
}

// sessionID returns the id of the session that is recorded, or "".
func (f *flight) sessionID() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.journal.ID()
}

// sync begins to make the recording durable, and returns a function that waits for it. The journal is made durable meanwhile: the disk
// does both at once.
func (f *flight) sync() (wait func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	synced, err := f.whole.Sync()
	f.keepWhole(err)
	return func() { <-synced }
}

// fact writes a fact of the current turn. The caller holds the lock.
func (f *flight) fact(x session.Fact) {
	if x.Turn == 0 {
		x.Turn = f.turnNow(false)
	}
	if x.At.IsZero() {
		x.At = time.Now().Round(0)
	}
	if f.lost {
		return
	}
	if err := f.journal.Tell(x); err != nil {
		f.lost = true
		f.tell(fmt.Sprintf("aura explain will not know what plugins do from now on: %v", err))
	}
}

// turnNow returns the turn that something belongs to. next says that it prepares a model call. The caller holds the lock.
func (f *flight) turnNow(next bool) int {
	if f.between || next {
		return f.turn + 1
	}
	return f.turn
}

// lastTurn returns the number of the last model call.
func (f *flight) lastTurn() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.turn
}

// keepWhole reports an error of the recording. The recording reports each error once.
func (f *flight) keepWhole(err error) {
	switch {
	case errors.Is(err, recording.ErrFull):
		f.tell(fmt.Sprintf("later plugin calls are not recorded: %v", err))
	case err != nil:
		f.tell(f.secrets.Get().String(fmt.Sprintf("plugin calls are no longer recorded: %v", err)))
	}
}

// started records a process of a plugin.
func (f *flight) started(s host.Started) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.children[s.Plugin] = &liveChild{Started: s}
	f.keepWhole(f.whole.Start(s, false))
}

// call records a call of a plugin. did is its event, and changes is what it changed.
func (f *flight) call(c host.Call, did event.PluginCall, changes []pipeline.Change) {
	row, hook := hookpoint.Lookup(hookpoint.Name(c.Point))
	x := session.Fact{
		Kind: session.FactCall, Plugin: c.Plugin, Version: c.Version, Point: c.Point, Name: subject(c), Outcome: string(did.Outcome), Error: did.Error,
		Waited: c.Waited, Took: c.Took, Changes: bounded(changes, f.secrets.Get()),
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	x.Turn = f.turnNow(hook && row.InModelCall)
	if child := f.children[c.Plugin]; child != nil && child.Child == c.Child {
		child.called = true
	}
	f.keepWhole(f.whole.Call(x.Turn, c, hook && row.Streamed))
	if hook && row.Streamed && did.Outcome == event.OutcomeNothing {
		f.sumUp(x)
		return
	}
	f.fact(x)
}

// sumUp adds a call at a point that observes a stream to the other calls for the same answer. The caller holds the lock.
func (f *flight) sumUp(x session.Fact) {
	sum := f.chunks[x.Plugin]
	if sum == nil {
		x.At = time.Now().Round(0)
		x.Calls = 1
		f.chunks[x.Plugin] = &x
		return
	}
	sum.Calls++
	sum.Waited += x.Waited
	sum.Took += x.Took
}

// flush writes the sums of calls. The caller holds the lock.
func (f *flight) flush() {
	for _, plugin := range slices.Sorted(maps.Keys(f.chunks)) {
		f.fact(*f.chunks[plugin])
	}
	clear(f.chunks)
}

// state records that a process of a plugin ended.
func (f *flight) state(c host.StateChange) {
	if c.To != host.StateRestarting && c.To != host.StateQuarantined && (c.To != host.StateStopped || c.From != host.StateStarting) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fact(session.Fact{Kind: session.FactState, Plugin: c.Plugin, Outcome: string(c.To), Error: reasonText(c.Reason, f.secrets.Get())})
}

// event records what an event of the conversation says about decisions.
func (f *flight) event(ev event.Event) {
	f.audit.event(ev)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e := ev.(type) {
	case event.Request:
		f.flush()
		f.turn, f.between = f.turn+1, false
		f.fact(session.Fact{Kind: session.FactTurn})
	case event.Message:
		f.flush()
	case event.Done:
		f.flush()
		f.between = true
	case event.ToolResult:
		if e.Diff != "" {
			f.fact(session.Fact{Kind: session.FactFiles, Name: e.Name, Call: e.ID, Changes: []session.Change{{Field: "files", Diff: f.cleanDiff(e.Diff)}}})
		}
		if e.RefusedBy == "" || e.ByPlugin {
			return // the call of the plugin is a fact already
		}
		f.fact(session.Fact{Kind: session.FactRefused, By: f.clean(e.RefusedBy), Name: e.Name, Error: f.clean(e.Error)})
	case event.Error:
		f.fact(session.Fact{Kind: session.FactError, Name: e.Class, Error: f.clean(e.Message)})
	case event.AgentSwitch:
		f.fact(session.Fact{Kind: session.FactSwitch, Name: e.Reason, Changes: switched(e)})
	case event.Network:
		f.connected(e)
	case event.Compaction:
		f.fact(session.Fact{Kind: session.FactCompaction, Name: e.Trigger, Error: f.clean(e.Error), Changes: []session.Change{
			{Field: "messages", Before: fmt.Sprint(e.PreMessages), After: fmt.Sprint(e.PostMessages)},
			{Field: "tokens", Before: fmt.Sprint(e.TokensBefore), After: fmt.Sprint(e.TokensAfter)},
		}})
	}
}

// switched returns what a switch changed.
func switched(e event.AgentSwitch) []session.Change {
	return []session.Change{{Field: "agent", Before: e.Previous, After: strings.TrimSpace(strings.Join([]string{e.Agent, e.Mode}, " ")) + " (" + e.Provider + "/" + e.Model + ")"}}
}

// clean returns a text without secrets, shortened after that, because the beginning of a secret would not be recognized.
func (f *flight) clean(text string) string {
	return limit.Cut(f.secrets.Get().String(text), limit.FactText, "a text in the journal")
}

// cleanDiff is clean for a diff that the user sees in the conversation, which is longer than those of plugins' changes.
func (f *flight) cleanDiff(text string) string {
	return limit.Cut(f.secrets.Get().String(text), limit.FilesDiff, "a diff in the journal")
}

// subject returns the tool, the command or the event that a call is about.
func subject(c host.Call) string {
	switch r := c.Request.(type) {
	case shared.ToolCall:
		return r.Tool
	case shared.PathsCall:
		return r.Tool
	case shared.CommandCall:
		return "/" + r.Name
	case shared.EventCall:
		return r.Name
	}
	return pipeline.Subject(c.In())
}

// bounded returns changes for the journal: without secrets and without texts that the model does not see, long texts as a diff, and
// not too many.
func bounded(changes []pipeline.Change, secrets *redact.Redactor) []session.Change {
	var out []session.Change
	for i, c := range changes {
		if i == limit.FactChanges {
			out = append(out, session.Change{Field: fmt.Sprintf("%d more changes", len(changes)-i)})
			break
		}
		before, after := secrets.String(c.Before), secrets.String(c.After)
		if c.Concealed {
			before = "" // a plugin may have removed a secret; only a recording of whole calls has the original
		}
		if before != "" && after != "" && max(len(before), len(after)) > limit.FactText/2 && len(before)+len(after) <= limit.DiffSource {
			out = append(out, session.Change{Field: c.Field, Diff: limit.Cut(udiff.Unified("before", "after", lined(before), lined(after)), limit.FactDiff, "a diff")})
			continue
		}
		out = append(out, session.Change{
			Field: c.Field, Before: limit.Cut(before, limit.FactText, "a text in the journal"), After: limit.Cut(after, limit.FactText, "a text in the journal"),
		})
	}
	return out
}

// lined returns a text that ends with a newline.
func lined(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
