// Package session stores a conversation on disk. The journal is append-only and has one JSON record per line. Each record is
// durable before the conversation continues. However aura ends, every appended record can be read back.
package session

import (
	"encoding/json"
	"time"

	"github.com/idelchi/aura/internal/agent/llm"
)

// Meta identifies the conversation of a journal. It is the journal's first record.
type Meta struct {
	// ID is a UUID that sorts by time. Create assigns it.
	ID string `json:"id"`
	// Version is the version of aura that wrote the journal.
	Version  string `json:"version"`
	Workdir  string `json:"workdir"`
	Agent    string `json:"agent,omitempty"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// StartedAt is set by Create if it is zero.
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

// End is the last record of a journal, unless the session was resumed. A journal without an End belongs to a session that is
// still running or was killed.
type End struct {
	Reason Reason `json:"reason"`
	// Stats holds the counters of the conversation. After reading, Stats is a generic JSON value.
	Stats any `json:"stats,omitempty"`
	// At is set by Close if it is zero.
	At time.Time `json:"at"`
}

// Session is a journal read back.
type Session struct {
	Meta     Meta
	Messages []llm.Message
	State    State
	// Noted reports whether the journal has a record of State.
	Noted bool
	// Seen holds the records of the files that the model has seen, in order.
	Seen []json.RawMessage
	// End is nil if the session was not closed.
	End *End
	// Torn reports whether the last line is incomplete, for example after a power failure. That line is not in Messages.
	Torn bool

	// Recording is the path of the recording of the session's plugin calls. Whoever shows the session sets it, if there is a recording.
	Recording string

	// data holds the bytes of the journal's files, in the order of their numbers.
	data [][]byte
	// facts is the size of the facts, in bytes.
	facts int64
}

// record is a line of the journal. Exactly one field is set.
type record struct {
	Meta       *Meta       `json:"meta,omitempty"`
	Message    *message    `json:"message,omitempty"`
	Data       *data       `json:"data,omitempty"`
	Compaction *Compaction `json:"compaction,omitempty"`
	Resume     *Resume     `json:"resume,omitempty"`
	Rewind     *Rewind     `json:"rewind,omitempty"`
	State      *State      `json:"state,omitempty"`
	// Seen records what was learned about files since the previous Seen record. The owner of the data defines its format.
	Seen json.RawMessage `json:"seen,omitempty"`
	// Fact explains the session. Sessions are read without facts; see Facts.
	Fact *Fact `json:"fact,omitempty"`
	End  *End  `json:"end,omitempty"`
}

// Compaction says that all messages except the last Kept were replaced by a summary.
type Compaction struct {
	// Summary is the message that replaces the others.
	Summary llm.Message `json:"summary"`
	Kept    int         `json:"kept"`
}

// Resume says that the session was continued after its end, or after it was killed.
type Resume struct {
	At time.Time `json:"at"`
}

// Rewind says that all messages except the first Keep were removed.
type Rewind struct {
	Keep int `json:"keep"`
}

// State is the state of a session other than its messages. Each State record replaces the previous one.
type State struct {
	// Title is the name that the user gave the session; empty if it has no name.
	Title string `json:"title,omitempty"`
	// Agent, Mode, Provider and Model are those in use. Provider and Model are empty in journals of earlier versions.
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	// Parent is the id of the session that this session was forked from.
	Parent string `json:"parent,omitempty"`
	// Todos is the list of todos. The owner of the list defines the format. Todos is nil if the list was never recorded.
	Todos json.RawMessage `json:"todos,omitempty"`
	// Background describes the commands that ran beside the conversation. Their owner defines the format.
	Background json.RawMessage `json:"background,omitempty"`
	// Fired maps the name of each plugin that acts once per session to the hook points at which the plugin has acted.
	Fired map[string][]string `json:"fired,omitempty"`
	// Waiting is what plugins requested for the next model call; nil if they requested nothing.
	Waiting *Waiting `json:"waiting,omitempty"`
}

// Waiting is what plugins requested for the next model call.
type Waiting struct {
	// Messages are sent with that call and are not part of the history.
	Messages []llm.Message `json:"messages,omitempty"`
	// DisableTools holds patterns of the tools that the call does not offer.
	DisableTools []string `json:"disable_tools,omitempty"`
}

// message is llm.Message with references to its files, and with tool calls in a form that can always be encoded as JSON.
type message struct {
	llm.Message

	Parts     []part     `json:"parts,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	llm.ToolCall

	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Malformed holds arguments that are not valid JSON. They are kept so that the model sees its own mistake.
	Malformed string `json:"malformed_arguments,omitempty"`
}

func toRecord(m llm.Message, parts ...part) record {
	out := &message{Message: m, Parts: parts}
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
	out.ToolCalls, out.Parts = nil, nil
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
