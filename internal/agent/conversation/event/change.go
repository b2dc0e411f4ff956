package event

// Compaction reports an attempt to replace the older part of the history with a summary.
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
	// SummaryLength is the length of the text that the model wrote, in bytes.
	SummaryLength int `json:"summary_length"`
	// Error is the reason why there is no summary.
	Error string `json:"error,omitempty"`
}

// The causes of a compaction.
const (
	// TriggerThreshold is a history that reached the configured limit.
	TriggerThreshold = "threshold"
	// TriggerRecovery is a request that was too long for the model.
	TriggerRecovery = "recovery"
	// TriggerForced is a request of the user.
	TriggerForced = "forced"
)

// Type implements Event.
func (Compaction) Type() string { return "compaction" }

// AgentSwitch reports that a different agent, mode or model answers from now on. If only the mode or the model changed,
// Previous and Agent are the same.
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

// PluginChange reports that a plugin changed the arguments of a tool call, the result that the model receives, or the answer
// that enters the history. It precedes the event of the call or the result, and follows the event of the answer. It does not
// contain the texts, because a plugin may have removed a secret from them.
type PluginChange struct {
	Plugin string `json:"plugin"`
	// Point is the name of the hook point, such as "AfterToolExecution".
	Point string `json:"point"`
}

// Type implements Event.
func (PluginChange) Type() string { return "plugin_change" }
