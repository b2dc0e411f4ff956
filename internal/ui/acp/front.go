package acp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/base/limit"
	"github.com/idelchi/aura/internal/base/plaintext"
)

// front shows one session to the client.
type front struct {
	server  *server
	id      string
	workdir string
	// todos returns the todo list; nil while the session is being opened.
	todos func() []todo.Item

	mu sync.Mutex
	// begun is the event with which the session began.
	begun event.Session
	// held holds the updates of a session whose id the client does not know yet. It is nil after release.
	held []any
	// over is set when the session is closed.
	over bool
	// message counts the messages of the session. text and thought clean the message that streams in; streamed is set if a part of
	// it was sent.
	message       int
	text, thought plaintext.Cleaner
	streamed      bool
	// echoed is set while the next prompt of the user in a turn is the one that the client has sent and shows.
	echoed bool
	// failed is the last error that the session reported in this turn. muted keeps the output of a command back.
	failed *event.Error
	muted  bool
	// calls holds the calls that run, by the ids of the model. asked holds calls that the user was asked about. number counts all.
	calls  map[string]*call
	asked  []*call
	number int
	plans  []planEntry
	// mode is the mode that the client knows.
	mode string
	// compactions counts the compactions.
	compactions int
}

func newFront(s *server, workdir string) *front {
	return &front{
		server: s, workdir: workdir, held: []any{}, calls: map[string]*call{},
		text: plaintext.Cleaner{Visible: true}, thought: plaintext.Cleaner{Visible: true},
	}
}

// send sends an update.
func (f *front) send(update any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.show(update)
}

// show sends an update, or keeps it until release. f.mu is held.
func (f *front) show(update any) {
	switch {
	case f.over:
	case f.held == nil:
		f.server.conn.notify(methodUpdate, notification{SessionID: f.id, Update: update})
	case len(f.held) < limit.ACPHeld:
		f.held = append(f.held, update)
	}
}

// showMode reports the mode if the client does not know it. f.mu is held.
func (f *front) showMode(id string) {
	if id == f.mode || f.mode == "" {
		return
	}
	f.mode = id
	f.show(currentMode{Update: modeUpdate, ModeID: id})
}

// release sends the updates that were held.
func (f *front) release() {
	f.mu.Lock()
	defer f.mu.Unlock()
	held := f.held
	f.held = nil
	for _, update := range held {
		f.show(update)
	}
}

// begin prepares for a turn. The prompt of a command is not one that the client has sent.
func (f *front) begin(command bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.echoed, f.failed = !command, nil
}

// finish ends a turn that returned err. It returns the class of the error that the session reported. An error that was reported
// and not returned is shown.
func (f *front) finish(err error) (class string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endOpenCalls()
	f.echoed = false
	failed := f.failed
	f.failed = nil
	switch {
	case failed == nil:
		return ""
	case err == nil:
		f.notice(severityError, "", failed.Message)
	}
	return failed.Class
}

// quiet keeps the output of a command back. When it ends, it returns the error that the session reported.
func (f *front) quiet(on bool) *event.Error {
	f.mu.Lock()
	defer f.mu.Unlock()
	failed := f.failed
	f.muted, f.failed = on, nil
	return failed
}

// end drops what comes after the session.
func (f *front) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.endOpenCalls()
	f.over = true
}

// tell shows a notice of aura.
func (f *front) tell(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.notice(severityInfo, "", text)
}

// Event implements frontend.FrontEnd.
func (f *front) Event(e event.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e := e.(type) {
	case event.Delta:
		f.delta(e)
	case event.Message:
		f.finished(e)
	case event.ToolCall:
		f.called(e)
	case event.Progress:
		f.progress(e)
	case event.ToolResult:
		f.result(e)
	case event.Command:
		if !f.muted {
			f.chunk(agentChunk, fenced(plaintext.Show(e.Output)), label("command", map[string]any{"name": e.Name}))
		}
	case event.Error:
		f.failed = &e
	default:
		f.aside(e)
	}
}

// aside shows what happened beside the conversation.
func (f *front) aside(e event.Event) {
	switch e := e.(type) {
	case event.Session:
		f.begun = e
	case event.Notice:
		f.notice(severityInfo, e.Plugin, e.Text)
	case event.PluginError:
		if !e.Returned && !e.Reported {
			f.notice(severityWarning, e.Plugin, e.Error)
		}
	case event.Injection:
		f.labelled("injection", e.Plugin, fmt.Sprintf("plugin %s adds a message (%s, %s):\n%s", e.Plugin, e.Point, e.Role, e.Content))
	case event.PluginChange:
		f.labelled("plugin_change", e.Plugin, fmt.Sprintf("plugin %s made a change (%s)", e.Plugin, e.Point))
	case event.PluginState:
		if f.held == nil && !f.over && !working(e) {
			f.server.conn.notify(methodPluginState, pluginState{SessionID: f.id, PluginState: e})
		}
	case event.AgentSwitch:
		f.showMode(cmp.Or(e.Mode, noMode)) // an accepted plan changes it in the middle of a turn
		if !f.muted {
			f.notice(severityInfo, "", fmt.Sprintf("agent %q with model %s of %s answers from now on (%s)", e.Agent, e.Model, e.Provider, e.Reason))
		}
	case event.Compaction:
		f.compacted(e)
	}
}

// working reports whether a change of state only says that a call began or ended. Restarts are reported to clients, calls are not.
func working(e event.PluginState) bool {
	return e.State == string(host.StateBusy) || e.State == string(host.StateReady) && e.Previous == string(host.StateBusy)
}

// pluginState is the notification of a plugin's state.
type pluginState struct {
	SessionID string `json:"sessionId"`
	event.PluginState
}

// delta shows a piece of an answer.
func (f *front) delta(e event.Delta) {
	if text := f.thought.Next(e.Thinking); text != "" {
		f.streamed = true
		f.chunk(thoughtChunk, text, nil)
	}
	if text := f.text.Next(e.Text); text != "" {
		f.streamed = true
		f.chunk(agentChunk, text, nil)
	}
}

// finished ends a message. The parts of an answer were sent as they came, unless it came in one piece.
func (f *front) finished(e event.Message) {
	if e.Role != "assistant" {
		if !f.echoed {
			f.message++
			f.chunk(userChunk, plaintext.Show(e.Content), nil)
		}
		f.echoed = false
		f.message++
		return
	}
	if !f.streamed {
		f.delta(event.Delta{Text: e.Content, Thinking: e.Thinking})
	}
	f.delta(event.Delta{Text: f.text.End(), Thinking: f.thought.End()})
	f.streamed = false
	f.message++
}

// chunk sends a part of the current message.
func (f *front) chunk(kind, text string, of meta) {
	f.show(chunk{Update: kind, MessageID: fmt.Sprintf("m%d", f.message), Content: textBlock(text), Meta: of})
}

// label returns aura's data beside an update, by which clients can tell it from an answer of the model.
func label(kind string, more map[string]any) meta {
	out := map[string]any{"kind": kind}
	for key, value := range more {
		if value != "" {
			out[key] = value
		}
	}
	return meta{"aura": out}
}

// notice shows a text for the user. A client that does not know notices gets it as a quote in a message.
func (f *front) notice(severity, plugin, text string) {
	text = plaintext.Show(text)
	if strings.TrimSpace(text) == "" {
		return
	}
	of := label("notice", map[string]any{"plugin": plugin, "severity": severity})
	from := "aura"
	if plugin != "" {
		from = "plugin " + plaintext.Line(plugin)
	}
	if f.server.client.notices() {
		title, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
		f.show(userNotice{Update: noticeUpdate, Severity: severity, Title: from + ": " + title, Description: rest, Meta: of})
		return
	}
	f.message++
	f.chunk(agentChunk, "\n> "+from+": "+strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")+"\n\n", of)
	f.message++
}

// labelled shows what a plugin did as a thought, which clients show apart from the answer.
func (f *front) labelled(kind, plugin, text string) {
	f.message++
	f.chunk(thoughtChunk, plaintext.Show(text)+"\n\n", label(kind, map[string]any{"plugin": plugin}))
	f.message++
}

func (f *front) compacted(e event.Compaction) {
	text := fmt.Sprintf("a summary replaced the older messages (%d before, %d after)", e.PreMessages, e.PostMessages)
	status := statusCompleted
	if !e.Success {
		text, status = "summarizing the older messages failed: "+e.Error, statusFailed
	}
	if !f.server.client.compaction() {
		f.notice(severityInfo, "", text)
		return
	}
	f.compactions++
	f.show(compaction{Update: compactUpdate, CompactionID: fmt.Sprintf("c%d", f.compactions), Status: status, Error: plaintext.Show(e.Error)})
}

// plan shows the todo list if it changed.
func (f *front) plan(items []todo.Item) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.planned(items)
}

func (f *front) planned(items []todo.Item) {
	entries := []planEntry{}
	for _, item := range items {
		entries = append(entries, planEntry{Content: plaintext.Show(item.Content), Priority: "medium", Status: string(item.Status)})
	}
	if len(entries) == 0 && len(f.plans) == 0 || slices.Equal(entries, f.plans) {
		return
	}
	f.plans = entries
	f.show(plan{Update: planUpdate, Entries: entries})
}

// liveInterval is the shortest time between two updates with the output of a running tool.
const liveInterval = 100 * time.Millisecond
