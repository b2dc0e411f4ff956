package event

import "time"

// PluginCall is a call of a plugin that has ended. It comes before the events that the call causes, and only if it was asked for.
type PluginCall struct {
	Plugin string `json:"plugin"`
	// Point is the name of the hook, or "tool", "paths" or "command".
	Point   string  `json:"point"`
	Outcome Outcome `json:"outcome"`
	// Fields names what the plugin changed, such as "arguments". The texts are not part of it: what a plugin removes may be a secret.
	Fields []string `json:"fields,omitempty"`
	// Error says why the call failed, without the plugin's name.
	Error string `json:"error,omitempty"`
	// Waited is the time until the plugin's process could take the call, Duration the time that it worked on it.
	Waited   time.Duration `json:"wait_ns"`
	Duration time.Duration `json:"duration_ns"`
}

// Outcome is what came of a call.
type Outcome string

// The outcomes of calls. If a plugin did several of these things, the first of this order counts: error or timeout, blocked,
// injected, changed.
const (
	// OutcomeNothing is a call that changed nothing but, for a tool or a command, has a result.
	OutcomeNothing Outcome = "nothing"
	// OutcomeInjected is a hook that added a message to the history.
	OutcomeInjected Outcome = "injected"
	// OutcomeBlocked is a hook that kept a tool from running.
	OutcomeBlocked Outcome = "blocked"
	// OutcomeChanged is a hook that changed what Fields names.
	OutcomeChanged Outcome = "changed"
	// OutcomeError is a call that failed, and OutcomeTimeout one whose process was killed at the deadline.
	OutcomeError   Outcome = "error"
	OutcomeTimeout Outcome = "timeout"
)

// Type implements Event.
func (PluginCall) Type() string { return "plugin_call" }

// PluginState says that a plugin's state changed, or that its process was replaced. It comes only if it was asked for.
type PluginState struct {
	Plugin   string `json:"plugin"`
	Previous string `json:"previous"`
	State    string `json:"state"`
	// Pid is the number of the plugin's process; 0 if there is none.
	Pid int `json:"pid,omitempty"`
	// Reason is why there is no process.
	Reason string `json:"reason,omitempty"`
}

// Type implements Event.
func (PluginState) Type() string { return "plugin_state" }
