package sdk

import (
	"context"
	"time"
)

// ToolSchema is what Schema returns: the tool as the model sees it.
type ToolSchema struct {
	Name        string
	Description string
	// Usage and Examples are further text for the model.
	Usage      string
	Examples   string
	Parameters ToolParameters
}

// ToolParameters is the JSON schema of a tool's arguments.
type ToolParameters struct {
	// Type is always "object".
	Type       string
	Properties map[string]ToolProperty
	Required   []string
}

// ToolProperty is one argument of a tool.
type ToolProperty struct {
	// Type is a JSON schema type: "string", "integer", "number", "boolean", "array" or "object".
	Type        string
	Description string
	// Enum, if not empty, lists the values allowed.
	Enum []any
}

// ToolPaths is what Paths returns: the files one call will touch, and what the model knows of them.
type ToolPaths struct {
	// Read and Write are what the sandbox must allow.
	Read  []string
	Write []string
	// Record marks files whose content the model has seen once the call is done.
	Record []string
	// Guard lists files whose content the model must have seen before the call.
	Guard []string
	// Clear lists files whose content no longer counts as seen, such as deleted ones.
	Clear []string
}

// ToolConfig is what Init receives, once, when the plugin is loaded.
type ToolConfig struct {
	// HomeDir is the user's home directory.
	HomeDir string
	// ConfigDir is the project's .aura directory. A confined plugin cannot write to it.
	ConfigDir string
	// DataDir is the plugin's own directory for files that it keeps. It is empty if there is no place for one.
	DataDir string
}

// CommandSchema is what Command returns: a slash command.
type CommandSchema struct {
	// Name without the slash.
	Name        string
	Description string
	// Hints label the arguments in completion.
	Hints []string
	// Forward sends the output to the model as a user message.
	Forward bool
	// Silent keeps the output off the screen.
	Silent bool
}

// CommandResult is what ExecuteCommand returns.
type CommandResult struct {
	// Output is displayed, or forwarded if the schema says so.
	Output string
}

// SideEffect says what a tool does beside returning a text.
type SideEffect string

// The side effects.
const (
	SideEffectNone    SideEffect = "none"
	SideEffectRead    SideEffect = "read"
	SideEffectWrite   SideEffect = "write"
	SideEffectExecute SideEffect = "execute"
	SideEffectNetwork SideEffect = "network"
)

// Tool is one of the tools that Tools returns. A plugin with a single simple tool can export Schema and Execute instead.
type Tool struct {
	Name        string
	Description string
	// Usage and Examples are further text for the model.
	Usage    string
	Examples string
	// Parameters is the JSON schema of the arguments, of type "object". Without it, the tool takes no arguments.
	Parameters map[string]any
	// SideEffects are shown to users, and modes ask before calls that change something. An empty list means that nobody knows.
	SideEffects []SideEffect
	// RequiresApproval makes aura ask the user before each call, unless the policy names the tool in auto.
	RequiresApproval bool
	// Sequential keeps the tool from running concurrently with other tools.
	Sequential bool
	// Timeout replaces the deadline of the plugin's tools for this tool; 0 keeps it.
	Timeout time.Duration
	// Execute runs the tool. It must not be nil.
	Execute func(ctx context.Context, c Context, args map[string]any) (string, error)
	// Paths returns which files a call will touch. It may be nil.
	Paths func(args map[string]any) (ToolPaths, error)
}

// Command is one of the slash commands that Commands returns. A plugin with a single command can export Command and
// ExecuteCommand instead.
type Command struct {
	CommandSchema
	// Execute runs the command. It must not be nil.
	Execute func(ctx context.Context, args string, c Context) (CommandResult, error)
}
