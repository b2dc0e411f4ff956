// Package sdk is what a plugin author writes against: the contexts that aura hands to hooks, tools and commands, and the
// results it takes back.
//
// A plugin is a directory with a go.mod, a plugin.yaml and Go source. It exports any of these hook functions, a tool
// (Schema and Execute), a slash command (Command and ExecuteCommand), or several of these:
//
//	func SessionStart(ctx context.Context, c sdk.SessionStartContext) (sdk.Result, error)
//	func UserMessage(ctx context.Context, c sdk.UserMessageContext) (sdk.UserMessageResult, error)
//	func BeforeChat(ctx context.Context, c sdk.BeforeChatContext) (sdk.Result, error)
//	func StreamChunk(ctx context.Context, c sdk.StreamChunkContext) (sdk.Result, error)
//	func AfterResponse(ctx context.Context, c sdk.AfterResponseContext) (sdk.Result, error)
//	func BeforeToolExecution(ctx context.Context, c sdk.BeforeToolContext) (sdk.BeforeToolResult, error)
//	func AfterToolExecution(ctx context.Context, c sdk.AfterToolContext) (sdk.Result, error)
//	func OnError(ctx context.Context, c sdk.OnErrorContext) (sdk.Result, error)
//	func BeforeCompaction(ctx context.Context, c sdk.BeforeCompactionContext) (sdk.Result, error)
//	func AfterCompaction(ctx context.Context, c sdk.AfterCompactionContext) (sdk.Result, error)
//	func OnAgentSwitch(ctx context.Context, c sdk.OnAgentSwitchContext) (sdk.Result, error)
//	func TransformMessages(ctx context.Context, c sdk.TransformContext) ([]sdk.Message, error)
//	func SessionEnd(ctx context.Context, c sdk.SessionEndContext) (sdk.Result, error)
//
// Every value handed to a plugin is its own copy: changing a map or a slice inside a context changes nothing elsewhere.
// The package imports the standard library only and is a module of its own.
package sdk

// The import makes a vendored SDK contain its version. aura compares that version with its own before it loads the plugin.
import _ "github.com/idelchi/aura/sdk/version"
