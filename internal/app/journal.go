package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/session"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/web"
)

// journal is a session's journal whose failure does not end the conversation: a full disk is no reason to stop work. The
// failure is reported once to the user, and the records written before it remain. The journal owns the flight recorder, which
// writes to the same file, and what else is saved with the conversation.
type journal struct {
	*session.Journal
	// version is the version of aura, which recordings contain.
	version string
	tell    func(text string)
	lost    bool
	// old reports whether the session was saved before this process opened it.
	old bool
	// seen holds what the model has seen of files. It is written together with the result of the tool that showed the files.
	seen  *readguard.Files
	todos *todo.List
	// commands holds the commands that run beside the conversation.
	commands background.Set
	// pages are those that the session fetched.
	pages web.Pages
	// state is the last recorded state of the session.
	state session.State
	// values is the directory with the values of plugins in this session.
	values atomic.Pointer[string]
	// transcript is nil if the session is not saved.
	transcript atomic.Pointer[transcript]
	// flight is made durable together with each answer and each result. whole is whether it also records whole calls of plugins
	// from the next journal on.
	flight *flight
	whole  bool
	// noteFired records at which hook points plugins that act once per session have acted.
	noteFired func()
}

// Append writes a message and what changed with it. It always returns nil.
func (j *journal) Append(m llm.Message) error {
	if j.lost {
		return nil
	}
	synced := func() {}
	if m.Role != llm.RoleUser {
		synced = j.flight.sync() // what precedes a prompt is made durable with what the prompt leads to
	}
	if err := j.Journal.Append(m); err != nil {
		j.lose(err)
	}
	synced()
	for _, text := range j.flight.takeNotices() {
		j.tell(text)
	}
	if m.Role == llm.RoleTool {
		j.keepSeen()
		j.keepTodos()
		j.keepCommands()
	}
	j.noteFired()
	return nil
}

// keepTodos records the list of todos if it changed.
func (j *journal) keepTodos() {
	raw, err := json.Marshal(j.todos.Items())
	if err != nil {
		j.lose(err)
		return
	}
	if j.state.Todos != nil || len(j.todos.Items()) > 0 {
		j.changeState(func(s *session.State) { s.Todos = raw })
	}
}

// keepCommands records the commands that run beside the conversation if they changed.
func (j *journal) keepCommands() {
	saved := j.commands.Save()
	if saved.Started == 0 {
		return
	}
	raw, err := json.Marshal(saved)
	if err != nil {
		j.lose(err)
		return
	}
	j.changeState(func(s *session.State) { s.Background = raw })
}

// recallCommands ends the commands of this session and continues with those of a saved one, which ended with it.
func (j *journal) recallCommands(s session.Session) error {
	var saved background.Saved
	if s.State.Background != nil {
		if err := json.Unmarshal(s.State.Background, &saved); err != nil {
			return fmt.Errorf("reading the background commands of session %s: %w", s.Meta.ID, err)
		}
	}
	if note := j.commands.Restore(saved); note != "" {
		j.tell(note)
	}
	return nil
}

// recallTodos restores the list of todos of a saved session. If the session has no record of the list, recallTodos derives it
// from the messages.
func (j *journal) recallTodos(s session.Session) error {
	var items []todo.Item
	if s.State.Todos != nil {
		if err := json.Unmarshal(s.State.Todos, &items); err != nil {
			return fmt.Errorf("reading the todos of session %s: %w", s.Meta.ID, err)
		}
	}
	if err := j.todos.Set(items); err != nil {
		return fmt.Errorf("reading the todos of session %s: %w", s.Meta.ID, err)
	}
	if s.State.Todos == nil {
		j.todos.Replay(s.Messages)
	}
	return nil
}

// keepSeen records what was learned about files since the last call.
func (j *journal) keepSeen() {
	changes := j.seen.Changes()
	if j.lost || changes == nil {
		return
	}
	raw, err := json.Marshal(changes)
	if err == nil {
		err = j.See(raw)
	}
	if err != nil {
		j.lose(err)
	}
}

// recallSeen restores what the model had seen in a saved session.
func (j *journal) recallSeen(states []readguard.State) {
	j.seen.Reset()
	j.seen.Changes()
	for _, state := range states {
		j.seen.Restore(state)
	}
}

// seenFiles returns what a session knew about files.
func seenFiles(s session.Session) ([]readguard.State, error) {
	out := make([]readguard.State, len(s.Seen))
	for i, raw := range s.Seen {
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			return nil, fmt.Errorf("reading which files session %s has seen: %w", s.Meta.ID, err)
		}
	}
	return out, nil
}

func (j *journal) lose(err error) {
	j.lost = true
	j.tell(fmt.Sprintf("this session is no longer saved: %v", err))
}

// Compacted records that the older messages were replaced by a summary. It always returns nil.
func (j *journal) Compacted(summary string, kept int) error {
	if j.lost {
		return nil
	}
	m := llm.Message{Role: llm.RoleUser, Content: summary, Synthetic: true, CreatedAt: time.Now()}
	if err := j.Compact(m, kept); err != nil {
		j.lose(err)
	}
	return nil
}

// Detached records that messages lost their files: the first kept messages stay, and the rest follows. It always returns nil.
func (j *journal) Detached(kept int, rest []llm.Message) error {
	if j.lost {
		return nil
	}
	err := j.Rewind(kept)
	for _, m := range rest {
		if err == nil {
			err = j.Journal.Append(m)
		}
	}
	if err != nil {
		j.lose(err)
	}
	return nil
}

// Waiting records what waits for the next model call. It always returns nil.
func (j *journal) Waiting(w conversation.Waiting) error {
	j.changeState(func(s *session.State) {
		s.Waiting = nil
		if len(w.Messages) > 0 || len(w.DisableTools) > 0 {
			s.Waiting = &session.Waiting{Messages: w.Messages, DisableTools: w.DisableTools}
		}
	})
	return nil
}

// waitingOf returns what waited for the next model call of a saved session.
func waitingOf(s session.Session) conversation.Waiting {
	if s.State.Waiting == nil {
		return conversation.Waiting{}
	}
	return conversation.Waiting{Messages: s.State.Waiting.Messages, DisableTools: s.State.Waiting.DisableTools}
}

// changeState changes the state of the session and records it if it is different.
func (j *journal) changeState(change func(*session.State)) {
	before := j.state
	change(&j.state)
	if j.lost || reflect.DeepEqual(before, j.state) {
		return
	}
	if err := j.Note(j.state); err != nil {
		j.lose(err)
	}
}

// rewind records that all messages except the first keep were removed.
func (j *journal) rewind(keep int) {
	if j.lost {
		return
	}
	if err := j.Rewind(keep); err != nil {
		j.lose(err)
	}
	// The model does not know what is no longer part of the conversation.
	j.seen.Reset()
	j.keepSeen()
}

// title returns the name of the session, or its id if it has no name.
func (j *journal) title() string { return cmp.Or(j.state.Title, j.ID()) }

// Ender is a cancellation cause that knows the reason with which the session ends.
type Ender interface {
	error
	Reason() session.Reason
}

// ReasonOf returns why a session that returned err ended.
func ReasonOf(ctx context.Context, err error) session.Reason {
	var ender Ender
	switch {
	case err == nil:
		return session.ReasonDone
	case errors.As(context.Cause(ctx), &ender):
		return ender.Reason()
	case ctx.Err() != nil:
		return session.ReasonInterrupted
	case errors.Is(err, conversation.ErrStepLimit), errors.Is(err, conversation.ErrBudget):
		return session.ReasonLimit
	default:
		return session.ReasonError
	}
}
