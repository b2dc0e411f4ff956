package sdk

import "time"

// SessionStartContext is given to SessionStart, once in each run of aura and before the first prompt. SessionStart observes and
// changes nothing.
type SessionStartContext struct {
	Context
	// Resumed is true if the session was saved before and goes on.
	Resumed bool
}

// SessionEndContext is given to SessionEnd, once in each run of aura, before plugins are stopped. SessionEnd observes and changes nothing.
// It has five seconds, or one if the user waits for aura to stop.
type SessionEndContext struct {
	Context
	// Reason is one of the EndReason constants.
	Reason string
}

// The values of SessionEndContext.Reason.
const (
	EndReasonDone        = "done"
	EndReasonInterrupted = "interrupted"
	EndReasonTimeout     = "timeout"
	EndReasonError       = "error"
	EndReasonLimit       = "limit"
)

// UserMessageContext is given to UserMessage, before a prompt enters the history.
type UserMessageContext struct {
	Context
	// Content is the prompt, as the plugins before this one left it. Context.Turns does not hold it yet.
	Content string
}

// BeforeChatContext is given to BeforeChat, before messages are sent to the model.
type BeforeChatContext struct {
	Context
}

// StreamChunkContext is given to StreamChunk while the model answers. StreamChunk observes and changes nothing. The answer does not wait
// for it: the chunks that come while it runs are given to its next call.
type StreamChunkContext struct {
	Context
	// Chunks holds what has come since the last call, oldest first. It is never empty.
	Chunks []Chunk
	// Dropped is the number of chunks since the last call that were lost because the plugin was too slow.
	Dropped int
}

// Chunk is a piece of a model's answer.
type Chunk struct {
	Text     string
	Thinking string
	// Finished is true for the last chunk of an answer, which has no text.
	Finished bool
}

// AfterResponseContext is given to AfterResponse, after the model has answered and before its tool calls run.
type AfterResponseContext struct {
	Context
	// Response is the text of the answer, as the plugins before this one left it.
	Response string
	// Thinking is the text of the model's thinking.
	Thinking string
	// Calls are the tool calls asked for; none has run.
	Calls []ToolCall
}

// BeforeToolContext is given to BeforeToolExecution, before policy, sandbox and the tool itself.
type BeforeToolContext struct {
	Context
	ToolName  string
	Arguments map[string]any
}

// AfterToolContext is given to AfterToolExecution.
type AfterToolContext struct {
	Context
	ToolName string
	// ToolResult is what the tool returned, as the plugins before this one left it.
	ToolResult string
	// ToolError is empty if the tool succeeded.
	ToolError string
	// ToolDuration is wall-clock time.
	ToolDuration time.Duration
	// Written holds the absolute paths of the files that the call wrote. It is empty if the call failed or its tool does not name
	// its files, as Bash does not.
	Written []string
}

// OnErrorContext is given to OnError when the provider failed and every built-in recovery failed too.
type OnErrorContext struct {
	Context
	// Error is the provider's message.
	Error string
	// ErrorType is one of the ErrorType constants, or empty if unclassified.
	ErrorType string
	// Retryable is true for rate_limit, server and network errors.
	Retryable bool
	// StatusCode is always 0: providers classify errors and do not keep the HTTP status.
	StatusCode int
}

// The values of OnErrorContext.ErrorType.
const (
	ErrorTypeRateLimit        = "rate_limit"
	ErrorTypeAuth             = "auth"
	ErrorTypeNetwork          = "network"
	ErrorTypeServer           = "server"
	ErrorTypeContentFilter    = "content_filter"
	ErrorTypeCreditExhausted  = "credit_exhausted"
	ErrorTypeModelUnavailable = "model_unavailable"
	ErrorTypeContextExhausted = "context_exhausted"
)

// BeforeCompactionContext is given to BeforeCompaction, once per compaction.
type BeforeCompactionContext struct {
	Context
	// Forced is true if the user asked for the compaction.
	Forced bool
	// TokensUsed is the estimate before compaction.
	TokensUsed int
	// ContextPercent is the share of the window in use, from 0 to 100.
	ContextPercent float64
	// MessageCount is the number of messages in the conversation. It shadows the embedded field of the same name.
	MessageCount int
	// KeepLast is the number of recent messages that will be kept as they are.
	KeepLast int
}

// AfterCompactionContext is given to AfterCompaction, which observes and changes nothing.
type AfterCompactionContext struct {
	Context
	Success      bool
	PreMessages  int
	PostMessages int
	// SummaryLength is in bytes.
	SummaryLength int
}

// OnAgentSwitchContext is given to OnAgentSwitch, which observes and changes nothing.
type OnAgentSwitchContext struct {
	Context
	PreviousAgent string
	NewAgent      string
	// Reason is one of the SwitchReason constants.
	Reason string
}

// The values of OnAgentSwitchContext.Reason.
const (
	SwitchReasonUser     = "user"
	SwitchReasonFailover = "failover"
	SwitchReasonTask     = "task"
	SwitchReasonCycle    = "cycle"
	SwitchReasonResume   = "resume"
)

// TransformContext is given to TransformMessages.
type TransformContext struct {
	Context
	// Messages are those about to be sent, the system prompt first.
	Messages []Message
}

// Message is a conversation message as TransformMessages sees it.
type Message struct {
	// ID is positional: m0001, m0002 and so on. It holds within one call only. Parts of a message that are not shown here are
	// kept by it, so leave it as it is on a changed message and give an inserted message a fresh one.
	ID string
	// Role is "system", "user", "assistant" or "tool".
	Role     string
	Content  string
	Thinking string
	// ToolName and ToolCallID are set on tool results.
	ToolName   string
	ToolCallID string
	// ToolCalls are set on assistant messages.
	ToolCalls []MessageToolCall
	// Tokens is an estimate.
	Tokens int
	// Type is "normal" or "synthetic".
	Type      string
	CreatedAt time.Time
}

// MessageToolCall is a tool call inside an assistant message.
type MessageToolCall struct {
	// ID was made by the provider.
	ID        string
	Name      string
	Arguments map[string]any
}
