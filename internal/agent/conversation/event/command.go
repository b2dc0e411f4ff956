package event

import "time"

// Command is the output of a slash command.
type Command struct {
	Name   string `json:"name"`
	Output string `json:"output"`
}

// Type implements Event.
func (Command) Type() string { return "command" }

// Progress is a message from a tool or a hook that is still running. It is for the user alone.
type Progress struct {
	// Tool is the name of the tool. ID is the identifier of its call, if it is known.
	Tool string `json:"tool"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
	// Status is true if Text says how far the call is, and Step if Text is a step of the tool's work, such as a tool call of another agent.
	// Ended is true if the call ran for Duration and waits for calls beside it. Otherwise, Text is output of the tool, or a remark if ID is
	// empty.
	Status   bool          `json:"status,omitempty"`
	Step     bool          `json:"step,omitempty"`
	Ended    bool          `json:"ended,omitempty"`
	Duration time.Duration `json:"duration_ns,omitempty"`
}

// Type implements Event.
func (Progress) Type() string { return "progress" }

// Waiting reports that the session started to wait for something that no other event announces. The next event ends the wait.
type Waiting struct {
	For Awaited `json:"for"`
	// Name identifies what the session waits for; it is empty if that is more than one thing.
	Name string `json:"name,omitempty"`
}

// Awaited is what a session waits for.
type Awaited string

// What a session can wait for.
const (
	// ForPlugins is the start of plugins. ForServers is the start of MCP servers.
	ForPlugins Awaited = "plugins"
	ForServers Awaited = "mcp"
	// ForCompaction is the summary of the older part of the history.
	ForCompaction Awaited = "compaction"
)

// Type implements Event.
func (Waiting) Type() string { return "waiting" }

// Health is the health of one plugin at the end of the run.
type Health struct {
	Plugin    string `json:"plugin"`
	State     string `json:"state"`
	Calls     int64  `json:"calls"`
	Errors    int64  `json:"errors"`
	Timeouts  int64  `json:"timeouts"`
	Restarts  int    `json:"restarts"`
	LastExit  string `json:"last_exit,omitempty"`
	P50Micros int64  `json:"p50_us"`
	P99Micros int64  `json:"p99_us"`
	// ChunksDropped counts the pieces of answers that the plugin missed because it was too slow.
	ChunksDropped int64 `json:"chunks_dropped"`
	// The events of the plugin: emitted by it, and what became of those for it.
	EventsEmitted   int64 `json:"events_emitted"`
	EventsDelivered int64 `json:"events_delivered"`
	EventsFailed    int64 `json:"events_failed"`
	EventsDropped   int64 `json:"events_dropped"`
	EventsWaiting   int64 `json:"events_waiting"`
}

// Type implements Event.
func (Health) Type() string { return "plugin_health" }
