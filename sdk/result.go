package sdk

// Role says who an injected message speaks as.
type Role string

// The roles an injected message may have. An empty Role means RoleAssistant.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Result is what a hook returns. The zero value does nothing. A returned error suppresses the result; it is logged and
// never ends the conversation.
type Result struct {
	// Message is the text to inject; empty for none.
	Message string
	Role    Role
	// Prefix is put before Message.
	Prefix string
	// Eject sends the message with the next model call only and then removes it.
	Eject bool
	// DisableTools holds patterns of tool names to withhold from one model call, such as "*".
	DisableTools []string
	// Notice is shown to the user and never sent to the model. It takes the place of Message.
	Notice string
	// Output, if not nil, replaces the tool's result. AfterToolExecution only.
	Output *string
	// Response skips or rewrites the answer before it enters the history. AfterResponse only.
	Response *ResponseModification
	// Error retries or skips a provider error. OnError only.
	Error *ErrorModification
	// Request adds to the system prompt or skips the model call. BeforeChat only.
	Request *RequestModification
	// Compaction skips the built-in compaction. BeforeCompaction only.
	Compaction *CompactionModification
}

// BeforeToolResult is what BeforeToolExecution returns.
type BeforeToolResult struct {
	// Result's message is injected only if the call is neither blocked nor left with invalid arguments. If the call is blocked,
	// the message becomes part of the reason.
	Result
	// Arguments, if not nil, replace the tool's arguments.
	Arguments map[string]any
	// Block keeps the tool from running.
	Block bool
}

// UserMessageResult is what UserMessage returns.
type UserMessageResult struct {
	// Result's message is injected after the prompt.
	Result
	// Content, if not nil, replaces the prompt. It must not be blank.
	Content *string
}

// ResponseModification changes what of an answer enters the history. The user has seen the original.
type ResponseModification struct {
	// Skip keeps the answer out of the history.
	Skip bool
	// Content, if not nil, replaces the answer's text.
	Content *string
}

// ErrorModification decides about a provider error.
type ErrorModification struct {
	// Retry makes the model call again, three times at most. It wins over Skip.
	Retry bool
	// Skip goes on as if the model had answered with nothing.
	Skip bool
}

// RequestModification changes one model call.
type RequestModification struct {
	// AppendSystem, if not nil, is added to the system prompt of this call and then forgotten.
	AppendSystem *string
	// Skip ends the turn without a model call.
	Skip bool
}

// CompactionModification decides about a compaction.
type CompactionModification struct {
	// Skip leaves the history as it is: the plugin manages it.
	Skip bool
}
