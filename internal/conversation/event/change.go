package event

// Compaction says that the older part of the history was to be put into a summary.
type Compaction struct {
	// Trigger is one of the Trigger constants.
	Trigger string `json:"trigger"`
	Success bool   `json:"success"`
	// PreMessages and PostMessages are the lengths of the history before and after.
	PreMessages  int `json:"pre_messages"`
	PostMessages int `json:"post_messages"`
	// TokensBefore and TokensAfter are estimates of the next request.
	TokensBefore int `json:"tokens_before"`
	TokensAfter  int `json:"tokens_after"`
	// SummaryLength is in bytes.
	SummaryLength int `json:"summary_length"`
	// Error says why there is no summary.
	Error string `json:"error,omitempty"`
}

// What causes a compaction.
const (
	// TriggerThreshold is a history as long as the settings allow.
	TriggerThreshold = "threshold"
	// TriggerRecovery is a request that was too long for the model.
	TriggerRecovery = "recovery"
	// TriggerForced is the user.
	TriggerForced = "forced"
)

// Type implements Event.
func (Compaction) Type() string { return "compaction" }

// AgentSwitch says that someone else answers from here on. If only the mode or the model is another one, Previous and Agent
// are the same.
type AgentSwitch struct {
	Previous string `json:"previous"`
	Agent    string `json:"agent"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Reason is one of the SDK's SwitchReason constants.
	Reason string `json:"reason"`
}

// Type implements Event.
func (AgentSwitch) Type() string { return "agent_switch" }

// PluginChange says that a plugin changed a tool call's arguments, what the model is told of its result, or what it remembers of
// its answer. It comes before the event of the call or the result, and after that of the answer. The texts are not part of it:
// what a plugin removes may be a secret.
type PluginChange struct {
	Plugin string `json:"plugin"`
	// Point is the name of the hook point, such as "AfterToolExecution".
	Point string `json:"point"`
}

// Type implements Event.
func (PluginChange) Type() string { return "plugin_change" }
