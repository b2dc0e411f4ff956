// Package event defines the events that a conversation emits while it runs. The terminal renders the events as text; --json
// prints them as one JSON object per line.
package event

import (
	"encoding/json"
	"time"
)

// Event is one of the structs of this package.
type Event interface {
	// Type is the event's name in JSON.
	Type() string
}

// Session is emitted when the conversation begins. Notices about the configuration may precede it.
type Session struct {
	ID       string `json:"id"`
	Agent    string `json:"agent,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	Workdir  string `json:"workdir"`
	// Tools lists the names of the tools that the model is offered.
	Tools []string `json:"tools"`
}

// Request is emitted before each model call.
type Request struct {
	// Number counts the requests of the session from 1, including repeated ones.
	Number int `json:"number"`
	// Iteration counts the turns of the interaction from 1.
	Iteration int `json:"iteration"`
	// Messages and Tools are the numbers of messages and tools that are sent.
	Messages int `json:"messages"`
	Tools    int `json:"tools"`
}

// Delta is a piece of a response as it streams in.
type Delta struct {
	Text     string `json:"text,omitempty"`
	Thinking string `json:"thinking,omitempty"`
}

// Message is a user's prompt, or a complete response as the model gave it.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
	// Shown is Content of the user's prompt for the screen, with one line for each attached text.
	Shown    string `json:"-"`
	Thinking string `json:"thinking,omitempty"`
	// ToolCalls is the number of tool calls in the response. An event for each call follows.
	ToolCalls int `json:"tool_calls,omitempty"`
	// Attachments lists the media files of the prompt.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Auto is true if auto mode sent the prompt, not the user.
	Auto bool `json:"auto,omitempty"`
}

// Attachment is a media file that is sent with a prompt.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	// Size is in bytes.
	Size int `json:"size"`
}

// Injection is a message that a plugin added to the history.
type Injection struct {
	Plugin string `json:"plugin"`
	// Point is the name of the hook point, such as "BeforeChat".
	Point   string `json:"point"`
	Role    string `json:"role"`
	Content string `json:"content"`
	// Eject is true if the message is sent with one model call only.
	Eject bool `json:"eject"`
}

// Approval is the user's answer to the question whether a tool call may run. The ToolCall of the call follows.
type Approval struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	// Rule is the rule of the policy that required the question; empty if the tool itself did. By says where it is written, or
	// who provides the tool.
	Rule string `json:"rule,omitempty"`
	By   string `json:"by"`
	// Decision is "once", "session", "always", "outside" or "no".
	Decision string `json:"decision"`
	// Pattern describes the calls that "session" and "always" approve.
	Pattern string `json:"pattern,omitempty"`
	// Reason is what the user says to the model with "no".
	Reason string `json:"reason,omitempty"`
	// Via is "aura web" if the user answered there, and not where the session runs.
	Via string `json:"via,omitempty"`
}

// ToolCall reports that a tool is about to run or was refused.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are the arguments that the tool runs with. If the model wrote invalid JSON, Arguments is a JSON string with
	// that text.
	Arguments json.RawMessage `json:"arguments"`
}

// ToolResult answers a ToolCall.
type ToolResult struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Content is the text that the model receives.
	Content string `json:"content"`
	// Note is the part of Content that shell hooks added.
	Note string `json:"note,omitempty"`
	// Error is empty if the tool succeeded.
	Error string `json:"error,omitempty"`
	// Ran is false if the call was refused before the tool was started.
	Ran bool `json:"ran"`
	// RefusedBy names who refused the call: plugin NAME, hook NAME, policy RULE, user, sandbox or seen-file rule. It is empty if nobody did.
	RefusedBy string `json:"refused_by,omitempty"`
	// ByPlugin is true if plugins refused the call. The reports of their calls contain the refusal.
	ByPlugin bool `json:"-"`
	// Attachments lists the media files that the model receives with the result.
	Attachments []Attachment `json:"attachments,omitempty"`
	// Diff is a unified diff of the files that the call changed. It is for the user alone.
	Diff string `json:"diff,omitempty"`
	// Duration is wall-clock time.
	Duration time.Duration `json:"duration_ns"`
}

// Notice is a text for the user alone.
type Notice struct {
	// Plugin is empty if the notice is aura's own.
	Plugin string `json:"plugin,omitempty"`
	Text   string `json:"text"`
}

// PluginError reports that a plugin failed. The conversation continues.
type PluginError struct {
	Plugin string `json:"plugin"`
	Point  string `json:"point,omitempty"`
	Error  string `json:"error"`
	// Returned is true if a hook returned the error. Such an error is for the plugin's author and is not shown as text.
	Returned bool `json:"returned,omitempty"`
	// Reported is true if a notice has already reported the error: the plugin's process died. It is not shown as text again.
	Reported bool `json:"reported,omitempty"`
}

// Error is the error that ended an interaction.
type Error struct {
	Message string `json:"message"`
	// Class is one of the SDK's error types, or empty.
	Class     string `json:"class,omitempty"`
	Retryable bool   `json:"retryable"`
}

// Done is the last event of an interaction.
type Done struct {
	Stats Stats `json:"stats"`
	// ToolCounts counts the runs of each tool.
	ToolCounts map[string]int `json:"tool_counts,omitempty"`
	// Models is the usage of each model, in the order of first use.
	Models []ModelUse `json:"models,omitempty"`
	// CostUSD is the cost of all models, in US dollars with at most six decimals. It is absent if a price is not known.
	CostUSD *float64 `json:"cost_usd,omitempty"`
}

// Type implements Event.
func (Session) Type() string { return "session" }

// Type implements Event.
func (Request) Type() string { return "request" }

// Type implements Event.
func (Delta) Type() string { return "delta" }

// Type implements Event.
func (Message) Type() string { return "message" }

// Type implements Event.
func (Injection) Type() string { return "injection" }

// Type implements Event.
func (Approval) Type() string { return "approval" }

// Type implements Event.
func (ToolCall) Type() string { return "tool_call" }

// Type implements Event.
func (ToolResult) Type() string { return "tool_result" }

// Type implements Event.
func (Notice) Type() string { return "notice" }

// Type implements Event.
func (PluginError) Type() string { return "plugin_error" }

// Type implements Event.
func (Error) Type() string { return "error" }

// Type implements Event.
func (Done) Type() string { return "done" }
