package event

// Command is the output of a slash command.
type Command struct {
	Name   string `json:"name"`
	Output string `json:"output"`
}

// Type implements Event.
func (Command) Type() string { return "command" }

// Progress is what a tool or a hook that still runs has to say. It is for the user alone.
type Progress struct {
	// Tool is the name of the tool, and ID that of its call, if it is known.
	Tool string `json:"tool"`
	ID   string `json:"id,omitempty"`
	Text string `json:"text"`
}

// Type implements Event.
func (Progress) Type() string { return "progress" }

// Waiting says that the session has begun to wait for something that no other event announces. The next event ends it.
type Waiting struct {
	For Awaited `json:"for"`
	// Name is which one; empty if it is about several.
	Name string `json:"name,omitempty"`
}

// Awaited is what a session waits for.
type Awaited string

// What a session waits for.
const (
	// ForPlugins is the start of plugins, and ForServers that of MCP servers.
	ForPlugins Awaited = "plugins"
	ForServers Awaited = "mcp"
	// ForCompaction is the summary of the older part of the history.
	ForCompaction Awaited = "compaction"
)

// Type implements Event.
func (Waiting) Type() string { return "waiting" }

// Health is how one plugin was when the run ended.
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
}

// Type implements Event.
func (Health) Type() string { return "plugin_health" }
