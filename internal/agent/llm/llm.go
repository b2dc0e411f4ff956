// Package llm defines the types shared by the conversation and the models: messages, requests, streams and errors. Each backend
// is a package below this one and implements Provider.
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
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Parts holds the media files of a user's message. Content names them.
	Parts    []Part `json:"parts,omitempty"`
	Thinking string `json:"thinking,omitempty"`
	// ThinkingBlocks holds Thinking as the service sent it. The service expects the blocks back unchanged. Code that changes
	// Thinking need not update ThinkingBlocks: they are not sent once their texts no longer add up to Thinking.
	ThinkingBlocks []ThinkingBlock `json:"thinking_blocks,omitempty"`
	// ToolCalls holds the calls that an assistant message requests.
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
	// Redacted is the opaque data that the service sends instead of thinking that it hides. Text is empty in this case.
	Redacted string `json:"redacted,omitempty"`
}

// ToolCall is a model's request to run a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Arguments holds the arguments as the model wrote them. They should be a JSON object, but can be anything.
	Arguments json.RawMessage `json:"arguments"`
	// Signature is opaque data that the service expects back with the call. Most services send none.
	Signature []byte `json:"signature,omitempty"`
}

// ToolDefinition describes a tool to a model.
type ToolDefinition struct {
	Name        string
	Description string
	// Parameters is a JSON schema of type object.
	Parameters json.RawMessage
}

// Request is one call of a model. The first of Messages is the system prompt, if there is one.
type Request struct {
	Model    string
	Messages []Message
	Tools    []ToolDefinition
	// A zero Think, or a zero field of Generation, selects the provider's default.
	Think      Think
	Generation Generation
	// Search, if positive, lets the service itself search the web before the model answers, at most so many times. A request with
	// Search offers no Tools. Not every service limits its searches.
	Search int
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

// Generation holds the sampling parameters of a model. A provider ignores the parameters that its service does not support.
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

// Delta is a piece of a response that is being streamed. Exactly one field is set.
type Delta struct {
	Text     string
	Thinking string
}

// Usage holds the token counts that the provider reports.
type Usage struct {
	Input  int `json:"input" yaml:"input"`
	Output int `json:"output" yaml:"output"`
	// CacheRead and CacheWrite are parts of Input: the tokens read from the service's cache, and the tokens written to it.
	CacheRead  int `json:"cache_read,omitempty" yaml:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty" yaml:"cache_write,omitempty"`
	// Searches is how often the service searched the web.
	Searches int `json:"searches,omitempty" yaml:"searches,omitempty"`
}

// Found is a page of the web that a service found, as the service names it. Nothing in it is trusted.
type Found struct {
	Title string `yaml:"title"`
	URL   string `yaml:"url"`
}

// Response is a complete answer.
type Response struct {
	Message Message
	Usage   Usage
	// Found lists what the service found for a request with Search, each page once.
	Found []Found
	// Cost is the cost of the call. It is nil if the price of the model is unknown.
	Cost *Cost
	// PricesOf is the date of the built-in list prices, in the form 2006-01-02. It is empty if the user has configured the price.
	PricesOf string
	// StopReason is one of the Stop constants, or empty if the service did not say.
	StopReason string
	// Dropped is the number of tool calls beyond limit.Calls, which were discarded.
	Dropped int
}

// The reasons why a model stops.
const (
	// StopEnd means that the model finished its answer.
	StopEnd = "end"
	// StopTools means that the model waits for the results of its tool calls.
	StopTools = "tools"
	// StopLength means that the answer was cut at the limit of output tokens. The arguments of its last tool call may be
	// incomplete.
	StopLength = "length"
)

// Model describes a model. The zero value is an unresolved model.
type Model struct {
	Name           string
	Family         string
	ParameterCount int64
	ContextLength  int
	Capabilities   []string
	// Audio lists the media types of audio that requests to the service can hold.
	Audio []string
}

// Provider is a source of models. Its methods are safe for concurrent use.
type Provider interface {
	// Model describes a model. An empty name selects the provider's default model.
	Model(ctx context.Context, name string) (Model, error)
	// Chat makes one call. It passes each piece to onDelta as the piece arrives, from the calling goroutine, and returns the
	// complete response. Cancelling ctx ends the call at once. The error is an *Error if its class is known.
	Chat(ctx context.Context, req Request, onDelta func(Delta)) (Response, error)
}

// Lister is implemented by a Provider that can list its models.
type Lister interface {
	// Models asks the service for its models. They are in no particular order, and contain only the details that the service
	// reports.
	Models(ctx context.Context) ([]Model, error)
}

// Error is a classified failure of a provider.
type Error struct {
	// Type is one of sdk's ErrorType constants, or empty.
	Type    string
	Message string
	// RetryAfter is how long the service asks the client to wait. It is 0 if the service did not say.
	RetryAfter time.Duration
	// Malformed marks an answer that could not be parsed, such as one with tool calls that violate the protocol. The
	// conversation repeats the same call at most twice.
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
