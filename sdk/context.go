package sdk

import "time"

// TokenState says how full the model's context window is.
type TokenState struct {
	// Estimate is counted on aura's side: the sum over all messages plus the tool schemas.
	Estimate int
	// LastAPI is the number of input tokens the provider reported for the last call.
	LastAPI int
	// Percent is Estimate as a share of Max, from 0 to 100.
	Percent float64
	// Max is the effective size of the context window in tokens.
	Max int
}

// ModelInfo describes the model in use. All fields are zero while it is unresolved.
type ModelInfo struct {
	// Name as the provider spells it, such as "llama3:8b".
	Name string
	// Family, such as "llama".
	Family string
	// ParameterCount is the number of weights, such as 8000000000.
	ParameterCount int64
	// ContextLength is the size of the window in tokens.
	ContextLength int
	// Capabilities, such as "vision", "tools" or "thinking".
	Capabilities []string
}

// Stats counts what has happened since the session began.
type Stats struct {
	StartTime time.Time
	Duration  time.Duration
	// Interactions counts user inputs, each with all that followed until the agent came to rest.
	Interactions int
	// Turns counts model calls, each with its tool calls.
	Turns int
	// Iterations counts turns over all interactions.
	Iterations int
	// ToolCalls counts every tool call that ran, failed ones too.
	ToolCalls int
	// ToolErrors counts the tool calls that failed.
	ToolErrors int
	// ParseRetries counts model answers that had to be asked for again because they could not be parsed.
	ParseRetries int
	// Compactions counts how often the history was compacted.
	Compactions int
	// TokensIn and TokensOut are the provider's own counts, summed.
	TokensIn  int
	TokensOut int
	// TopTools lists the tools used most, most used first.
	TopTools []ToolCount
}

// ToolCount is how often one tool was called.
type ToolCount struct {
	Name  string
	Count int
}

// ToolCall is one call of a tool. Before it has run, Result, Error and Duration are zero.
type ToolCall struct {
	Name string
	Args map[string]any
	// ArgsJSON is Args as JSON with sorted keys, so that two calls can be compared as strings.
	ArgsJSON string
	Result   string
	Error    string
	// Duration is wall-clock time.
	Duration time.Duration
}

// FeatureState tells which features are on at this moment.
type FeatureState struct {
	// Sandbox is true only where the kernel enforces it.
	Sandbox bool
	// ReadBeforeWrite is true while a file must have been read before it is changed.
	ReadBeforeWrite bool
	// ShowThinking is true while the model's thinking is displayed.
	ShowThinking bool
	// CompactionEnabled is true if the history is compacted when the window fills up.
	CompactionEnabled bool
}

// Turn is the text of one user or assistant message.
type Turn struct {
	// Role is "user" or "assistant".
	Role    string
	Content string
}

// Context is the state of the conversation at the moment of a call. Every hook's context embeds it; tools and commands
// receive it as it is.
type Context struct {
	// Iteration is the number of the turn within the current interaction, from 1.
	Iteration int
	Tokens    TokenState
	Agent     string
	Mode      string
	ModelInfo ModelInfo
	Stats     Stats
	// CostUSD is the cost of the session so far, in US dollars, or nil if a price is not known.
	CostUSD *float64
	Workdir string
	// MessageCount is the number of messages in the history.
	MessageCount int

	Auto       bool
	DoneActive bool
	// ResponseEmpty is true if the last response had neither text nor tool calls.
	ResponseEmpty bool
	// ResponseContentEmpty is true if the last response had no text.
	ResponseContentEmpty bool
	HasToolCalls         bool
	// MaxSteps is the limit of turns in one interaction.
	MaxSteps int

	TodoPending    int
	TodoInProgress int
	TodoTotal      int

	// PatchCounts holds, for each file, how often it was patched; of very many files those that were patched most.
	PatchCounts map[string]int
	// ToolHistory holds the tool calls of the session, oldest first. The newest is whole; texts of old ones are shortened, with a
	// mark that says by how many bytes, and of very many calls the oldest are left out.
	ToolHistory []ToolCall

	// SessionID is empty while the session is unsaved.
	SessionID string
	// SessionTitle is the name that the user gave the session or, without one, the beginning of the first prompt.
	SessionTitle string

	// Provider is the name of the active provider, such as "anthropic".
	Provider string
	// ThinkMode is "off", "low", "medium" or "high".
	ThinkMode string

	Features FeatureState

	// AvailableTools names the tools that the model is offered.
	AvailableTools []string
	// LoadedTools names the deferred tools that were loaded in this session.
	LoadedTools []string

	// Turns holds the text of the conversation, the current prompt included. Old texts are shortened as those of ToolHistory are.
	Turns []Turn

	// SystemPrompt is what is sent to the model as such.
	SystemPrompt string

	// MCPServers names the connected MCP servers.
	MCPServers []string

	// Vars holds the template variables set with --set.
	Vars map[string]string

	// PluginConfig is this plugin's configuration: its own defaults, then the global values, then the values for its name.
	// Integers written in YAML are int.
	PluginConfig map[string]any
}
