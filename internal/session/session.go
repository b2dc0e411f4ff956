// Package session keeps a conversation on disk: an append-only journal of one JSON record per line, each of them durable
// before the conversation goes on. Whatever ends aura, everything that was appended can be read back.
package session

import (
	"encoding/json"
	"time"

	"github.com/idelchi/aura/internal/llm"
)

// Meta says which conversation a journal holds. It is the journal's first record.
type Meta struct {
	// ID is a UUID that sorts by time. Create assigns it.
	ID string `json:"id"`
	// Version is that of the aura that wrote the journal.
	Version  string `json:"version"`
	Workdir  string `json:"workdir"`
	Agent    string `json:"agent,omitempty"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// StartedAt is set by Create unless it is given.
	StartedAt time.Time `json:"started_at"`
}

// Reason says why a session ended.
type Reason string

// The reasons for the end of a session.
const (
	ReasonDone        Reason = "done"
	ReasonError       Reason = "error"
	ReasonInterrupted Reason = "interrupted"
	ReasonTimeout     Reason = "timeout"
	ReasonLimit       Reason = "limit"
)

// End is the last record of a journal, unless the session was resumed. A journal without one belongs to a session that still
// runs or was killed.
type End struct {
	Reason Reason `json:"reason"`
	// Stats is whatever the conversation counted. Read back, it is a generic JSON value.
	Stats any `json:"stats,omitempty"`
	// At is set by Close unless it is given.
	At time.Time `json:"at"`
}

// Session is a journal read back.
type Session struct {
	Meta     Meta
	Messages []llm.Message
	State    State
	// Noted tells that State was ever recorded.
	Noted bool
	// Seen are the records of the files that the model has seen, in order.
	Seen []json.RawMessage
	// End is nil if the session was not closed.
	End *End
	// Torn reports that the last line was written only in part, as by a power failure. It is left out of Messages.
	Torn bool
}

// record is a line of the journal. Exactly one field is set.
type record struct {
	Meta       *Meta       `json:"meta,omitempty"`
	Message    *message    `json:"message,omitempty"`
	Compaction *Compaction `json:"compaction,omitempty"`
	Resume     *Resume     `json:"resume,omitempty"`
	Rewind     *Rewind     `json:"rewind,omitempty"`
	State      *State      `json:"state,omitempty"`
	// Seen is what has become known of files since the last such record, in a form of its owner's.
	Seen json.RawMessage `json:"seen,omitempty"`
	End  *End            `json:"end,omitempty"`
}

// Compaction says that all messages but the last Kept were replaced by a summary.
type Compaction struct {
	// Summary is the message that stands for those replaced.
	Summary llm.Message `json:"summary"`
	Kept    int         `json:"kept"`
}

// Resume says that the session went on after its end, or after it was killed.
type Resume struct {
	At time.Time `json:"at"`
}

// Rewind says that all messages but the first Keep were taken back.
type Rewind struct {
	Keep int `json:"keep"`
}

// State is what a session is like beside its messages. Each such record takes the place of the one before.
type State struct {
	// Title is what the user calls the session; empty if it has no name.
	Title string `json:"title,omitempty"`
	// Agent, Mode, Provider and Model are those that answer. Provider and Model are empty in journals of earlier versions.
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Parent is the session that this one was forked from.
	Parent string `json:"parent,omitempty"`
	// Todos is the list of todos, in a form of its owner's; nil if it was never recorded.
	Todos json.RawMessage `json:"todos,omitempty"`
	// Fired are the hook points, by the names of plugins that act once per session, at which they have.
	Fired map[string][]string `json:"fired,omitempty"`
	// Waiting is what plugins want of the next model call; nil if they want nothing.
	Waiting *Waiting `json:"waiting,omitempty"`
}

// Waiting is what plugins want of the next model call.
type Waiting struct {
	// Messages go with that call and are no part of the history.
	Messages []llm.Message `json:"messages,omitempty"`
	// DisableTools are patterns of the tools that the call does not offer.
	DisableTools []string `json:"disable_tools,omitempty"`
}

// message is llm.Message with tool calls in a form that JSON can always hold.
type message struct {
	llm.Message

	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	llm.ToolCall

	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Malformed holds arguments that are not JSON. They are kept: the model is shown its own mistake.
	Malformed string `json:"malformed_arguments,omitempty"`
}

func toRecord(m llm.Message) record {
	out := &message{Message: m}
	for _, call := range m.ToolCalls {
		c := toolCall{ToolCall: call}
		if json.Valid(call.Arguments) {
			c.Arguments = call.Arguments
		} else {
			c.Malformed = string(call.Arguments)
		}
		out.ToolCalls = append(out.ToolCalls, c)
	}
	return record{Message: out}
}

func fromRecord(m *message) llm.Message {
	out := m.Message
	out.ToolCalls = nil
	for _, c := range m.ToolCalls {
		call := c.ToolCall
		call.Arguments = c.Arguments
		if c.Malformed != "" {
			call.Arguments = json.RawMessage(c.Malformed)
		}
		out.ToolCalls = append(out.ToolCalls, call)
	}
	return out
}
