// Package llm is the vocabulary between the conversation and the models: messages, requests, streams, errors. Each
// backend lives in a folder below and implements Provider.
package llm

import (
	"context"
	"encoding/json"
	"time"
)

// Role says who a message is from.
type Role string

// The roles of a message.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one entry of a conversation. It is a value: once in a history it is never changed in place.
type Message struct {
	Role     Role   `json:"role"`
	Content  string `json:"content"`
	Thinking string `json:"thinking,omitempty"`
	// ThinkingBlocks is Thinking as its service wrote it. The service wants it back unchanged: whoever changes Thinking need
	// not touch them, for they are left out once their texts no longer add up to it.
	ThinkingBlocks []ThinkingBlock `json:"thinking_blocks,omitempty"`
	// ToolCalls are what an assistant message asks for.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ToolCallID and ToolName link a tool's result to its call.
	ToolCallID string `json:"tool_call_id,omitempty"`
	ToolName   string `json:"tool_name,omitempty"`
	// Synthetic marks a message that neither the user nor the model wrote.
	Synthetic bool      `json:"synthetic,omitempty"`
	CreatedAt time.Time `json:"created_at"`
}

// ThinkingBlock is a piece of a model's thinking that its service signed.
type ThinkingBlock struct {
	Text      string `json:"text,omitempty"`
	Signature string `json:"signature,omitempty"`
	// Redacted is what the service shows of a piece that it hides. It has no text then.
	Redacted string `json:"redacted,omitempty"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments are as the model wrote them: a JSON object if it behaved, anything if not.
	Arguments json.RawMessage `json:"arguments"`
	// Signature is what the service wants back with the call. Most have none.
	Signature []byte `json:"signature,omitempty"`
}

// ToolDefinition is a tool as a model is offered it.
type ToolDefinition struct {
	Name        string
	Description string
	// Parameters is a JSON schema of type object.
	Parameters json.RawMessage
}

// Request is one call of a model. Messages begin with the system prompt, if there is one.
type Request struct {
	Model    string
	Messages []Message
	Tools    []ToolDefinition
	// Think and Generation are left to the provider where they are zero.
	Think      Think
	Generation Generation
}

// Think is how much a model thinks before it answers.
type Think string

// The amounts of thinking.
const (
	ThinkOff    Think = "off"
	ThinkOn     Think = "on"
	ThinkLow    Think = "low"
	ThinkMedium Think = "medium"
	ThinkHigh   Think = "high"
)

// Generation are the knobs of a model. A provider passes over those that its service does not have.
type Generation struct {
	Temperature      *float64
	TopP             *float64
	TopK             *int
	MaxOutputTokens  *int
	FrequencyPenalty *float64
	PresencePenalty  *float64
	Seed             *int
	Stop             []string
}

// Delta is a piece of a response as it streams in. One of the fields is set.
type Delta struct {
	Text     string
	Thinking string
}

// Usage is the provider's own count of tokens.
type Usage struct {
	Input  int `json:"input" yaml:"input"`
	Output int `json:"output" yaml:"output"`
	// CacheRead and CacheWrite are parts of Input: what the service had in its cache, and what it has put there.
	CacheRead  int `json:"cache_read,omitempty" yaml:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty" yaml:"cache_write,omitempty"`
}

// Response is a complete answer.
type Response struct {
	Message Message
	Usage   Usage
	// Cost is what the call has cost; nil if the price of the model is not known.
	Cost *Cost
	// StopReason is one of the Stop constants, or empty if the service did not say.
	StopReason string
	// Dropped is how many tool calls the answer had beyond limit.Calls.
	Dropped int
}

// The reasons for which a model stops.
const (
	// StopEnd is the end of what the model had to say.
	StopEnd = "end"
	// StopTools means that the model waits for the results of its tool calls.
	StopTools = "tools"
	// StopLength means that the answer was cut at the limit of output tokens. The arguments of its last tool call may be cut.
	StopLength = "length"
)

// Model is what a provider knows of a model. The zero value is an unresolved one.
type Model struct {
	Name           string
	Family         string
	ParameterCount int64
	ContextLength  int
	Capabilities   []string
}

// Provider is a source of models. Its methods may be called from several goroutines.
type Provider interface {
	// Model describes a model; an empty name asks for the provider's default.
	Model(ctx context.Context, name string) (Model, error)
	// Chat makes one call. It hands each piece to onDelta, from this goroutine, as it arrives, and returns the whole. Cancelling
	// ctx ends the call at once. A failure is an *Error where its class is known.
	Chat(ctx context.Context, req Request, onDelta func(Delta)) (Response, error)
}

// Lister is a Provider that knows which models there are.
type Lister interface {
	// Models asks the service. The models are in no particular order, and described as far as the service does.
	Models(ctx context.Context) ([]Model, error)
}

// Error is a classified failure of a provider.
type Error struct {
	// Type is one of sdk's ErrorType constants, or empty.
	Type    string
	Message string
	// RetryAfter is how long the service asks to be left alone; 0 if it did not say.
	RetryAfter time.Duration
	// Malformed marks an answer that could not be read, such as tool calls that are not what the protocol says. The
	// conversation makes the same call again, at most twice.
	Malformed bool
}

func (e *Error) Error() string {
	if e.Type == "" {
		return e.Message
	}
	return e.Type + ": " + e.Message
}

// Retryable reports whether the same call may succeed later.
func (e *Error) Retryable() bool {
	return e.Type == "rate_limit" || e.Type == "server" || e.Type == "network"
}
