package event

import "time"

// PluginCall is a finished call of a plugin. It precedes the events that the call causes. It is emitted only on request.
type PluginCall struct {
	Plugin string `json:"plugin"`
	// Point is the name of the hook, or "tool", "paths" or "command".
	Point   string  `json:"point"`
	Outcome Outcome `json:"outcome"`
	// Fields names what the plugin changed, such as "arguments". It does not contain the texts, because a plugin may have
	// removed a secret.
	Fields []string `json:"fields,omitempty"`
	// Error is the reason why the call failed, without the plugin's name.
	Error string `json:"error,omitempty"`
	// Waited is the time until the plugin's process could accept the call. Duration is how long the process worked on the call.
	Waited   time.Duration `json:"wait_ns"`
	Duration time.Duration `json:"duration_ns"`
}

// Outcome is the outcome of a plugin call.
type Outcome string

// The outcomes of calls. If more than one applies, the first in this order is reported: error or timeout, blocked, injected,
// changed.
const (
	// OutcomeNothing is a call that changed nothing. A tool or a command still has a result.
	OutcomeNothing Outcome = "nothing"
	// OutcomeInjected is a hook that added a message to the history.
	OutcomeInjected Outcome = "injected"
	// OutcomeBlocked is a hook that blocked a tool call.
	OutcomeBlocked Outcome = "blocked"
	// OutcomeChanged is a hook that changed what Fields names.
	OutcomeChanged Outcome = "changed"
	// OutcomeError is a call that failed. OutcomeTimeout is a call whose process was killed at the deadline.
	OutcomeError   Outcome = "error"
	OutcomeTimeout Outcome = "timeout"
)

// Type implements Event.
func (PluginCall) Type() string { return "plugin_call" }

// PluginLog is a line that a plugin wrote with sdk.Log. It is emitted only on request.
type PluginLog struct {
	Plugin string `json:"plugin"`
	// Level is debug, info, warn or error.
	Level string `json:"level"`
	Text  string `json:"text"`
}

// ServerLog is a message of the log of an MCP server. It is emitted only on request.
type ServerLog struct {
	Server string `json:"server"`
	Level  string `json:"level"`
	Text   string `json:"text"`
}

// Type implements Event.
func (ServerLog) Type() string { return "server_log" }

// Type implements Event.
func (PluginLog) Type() string { return "plugin_log" }

// PluginState reports that a plugin's state changed or that its process was replaced. It is emitted only on request.
type PluginState struct {
	Plugin   string `json:"plugin"`
	Previous string `json:"previous"`
	State    string `json:"state"`
	// Pid is the process ID of the plugin, or 0 if it has no process.
	Pid int `json:"pid,omitempty"`
	// Reason is the reason why there is no process.
	Reason string `json:"reason,omitempty"`
}

// Type implements Event.
func (PluginState) Type() string { return "plugin_state" }
