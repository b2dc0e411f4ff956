package conversation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/sdk"
)

// transcript is the history of a conversation together with its journal: what enters one enters the other. Messages that are sent
// with one model call only are saved apart from the others, as a Waiting value.
type transcript struct {
	journal Journal
	emit    func(event.Event)
	now     func() time.Time

	mu      sync.Mutex
	history history
	// sent is how many entries of the history the last request contained. It is 0 once the call of that request has ended.
	sent int
	// kept is the Waiting value that the journal received last.
	kept Waiting
	// held holds messages that wait for the next prompt. Only the goroutine that has claimed the conversation uses it.
	held []injection
	// unsaved is the first error of the journal in this interaction.
	unsaved error
}

func newTranscript(journal Journal, emit func(event.Event), now func() time.Time) *transcript {
	return &transcript{journal: journal, emit: emit, now: now, history: history{ids: map[string]int{}}}
}

// begin forgets the errors of earlier interactions.
func (t *transcript) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unsaved = nil
}

// saved returns the journal's first error in this interaction, if any.
func (t *transcript) saved() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unsaved == nil {
		return nil
	}
	return fmt.Errorf("saving the session: %w", t.unsaved)
}

// keepError keeps the journal's first error until the turn is over.
func (t *transcript) keepError(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil && t.unsaved == nil {
		t.unsaved = err
	}
}

// record adds a message to the history. It also adds the message to the journal, unless the message is ejected later.
func (t *transcript) record(e entry) {
	if e.CreatedAt.IsZero() {
		e.CreatedAt = t.now()
	}
	t.mu.Lock()
	t.history.add(e)
	t.mu.Unlock()
	if !e.eject {
		t.keepError(t.journal.Append(e.Message))
	}
}

// inject adds the messages of plugins, and those with the files of results, to the history. Every tool call in the history must have its result by then.
func (t *transcript) inject(queued []injection) {
	for _, in := range queued {
		if in.parts != nil {
			t.record(entry{Message: llm.Message{Role: llm.RoleUser, Content: in.Content, Parts: in.parts, Synthetic: true}})
			continue
		}
		t.record(entry{
			Message: llm.Message{Role: llm.Role(in.Role), Content: in.Content, Synthetic: true},
			eject:   in.Eject, chat: hookpoint.Of(in.point).InModelCall,
		})
		t.emit(event.Injection{
			Plugin: in.Handler, Point: string(in.point), Role: string(in.Role), Content: in.Content, Eject: in.Eject,
		})
	}
}

// inform adds what the model should learn to the history. notes may be nil.
func (t *transcript) inform(notes func() []string) {
	if notes == nil {
		return
	}
	if texts := notes(); len(texts) > 0 {
		t.inject([]injection{{Injection: pipeline.Injection{
			Handler: "aura", Role: sdk.RoleUser, Content: "[aura] " + strings.Join(texts, "\n[aura] "),
		}}})
	}
}

// hold keeps messages for the moment at which the next prompt enters the history.
func (t *transcript) hold(queued []injection) { t.held = append(t.held, queued...) }

// release adds the messages that wait for a prompt.
func (t *transcript) release() {
	t.inject(t.held)
	t.held = nil
}

// lastAnswer returns the text of the last answer in the history that has one.
func (t *transcript) lastAnswer() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range slices.Backward(t.history.entries) {
		if e.Role == llm.RoleAssistant && e.Content != "" {
			return e.Content
		}
	}
	return ""
}

// identify returns calls with identifiers that no earlier call of the session has.
func (t *transcript) identify(calls []llm.ToolCall) []llm.ToolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.history.identify(calls)
}

// fill replaces the history with entries. It does not change the journal.
func (t *transcript) fill(entries []entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.reset(entries)
	t.sent = 0
	for _, e := range entries {
		for _, call := range e.ToolCalls {
			t.history.reserveID(call.ID)
		}
	}
}

// unsign removes the signatures of one service, because another service would reject them.
func (t *transcript) unsign() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.unsign()
}

// request returns the messages of a model call, starting with the system prompt, and how many of them are in the history. The
// caller must not change the messages.
func (t *transcript) request(system string) (messages []llm.Message, entries int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.history.messages(system), len(t.history.entries)
}

// sending records how many entries of the history the model call that begins contains.
func (t *transcript) sending(entries int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = entries
}

// called removes the messages that were sent with the model call that ended. If the call has to be made again, it removes only
// those of BeforeChat, because that hook runs again.
func (t *transcript) called(again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.history.eject(t.sent, again)
	t.sent = 0
}

// keepWaiting saves what is pending for the next model call in the journal, if it has changed: messages, and patterns of disabled
// tools.
func (t *transcript) keepWaiting(disabled []string) {
	t.mu.Lock()
	now := Waiting{Messages: t.history.waiting(), DisableTools: slices.Clone(disabled)}
	changed := !reflect.DeepEqual(now, t.kept)
	t.kept = now
	t.mu.Unlock()
	if changed {
		t.keepError(t.journal.Waiting(now))
	}
}

// await restores the messages that were pending for the next model call in a saved conversation.
func (t *transcript) await(w Waiting) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = w
	for _, m := range w.Messages {
		// Users can edit a journal by hand. Messages of plugins have one of two roles and contain no tool calls.
		if m.Role != llm.RoleUser {
			m.Role = llm.RoleAssistant
		}
		m.ToolCalls, m.ToolCallID, m.Synthetic = nil, "", true
		t.history.add(entry{Message: m, eject: true})
	}
}

// summarised replaces the entries before cut with a summary. It keeps entries that are sent once and have not been sent yet.
func (t *transcript) summarised(cut int, summary string) {
	t.mu.Lock()
	entries := []entry{{
		Message: llm.Message{Role: llm.RoleUser, Content: summary, Synthetic: true, CreatedAt: t.now()}, summary: true,
	}}
	kept := 0
	for i, e := range t.history.entries {
		if i >= cut || e.eject {
			entries = append(entries, e)
		}
		if i >= cut && !e.eject {
			kept++
		}
	}
	t.history.reset(entries)
	t.sent = 0
	t.mu.Unlock()
	t.keepError(t.journal.Compacted(summary, kept))
}

// detach removes the files that the model has not seen yet from the history and the journal. It reports whether there were any.
func (t *transcript) detach() bool {
	t.mu.Lock()
	kept, rest, changed := t.history.strip()
	if changed {
		t.sent = 0
	}
	t.mu.Unlock()
	if !changed {
		return false
	}
	t.keepError(t.journal.Detached(kept, rest))
	return true
}
