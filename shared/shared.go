// Package shared defines what aura and aura-plugin-host have in common: the handshake, the launch specification, the Plugin
// interface, its gRPC shims and the codec. Nothing else belongs here.
package shared

import (
	"context"
	"time"

	"github.com/hashicorp/go-plugin"

	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/sdk"
)

// MaxMessage is the size of the largest call or answer, in bytes. A larger call is sent with shorter lists. A call that is
// still too large, or an answer that is too large, fails only that call.
const MaxMessage = 64 << 20

// Grace is how long before the deadline of the RPC a plugin's own context ends, so that a plugin that respects its context can
// answer in time and need not be killed.
const Grace = 500 * time.Millisecond

// PluginKey is the name under which a child serves its one plugin.
const PluginKey = "plugin"

// Handshake returns the configuration that prevents a child from being started by hand. It is not a security measure.
func Handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: 1, MagicCookieKey: "AURA_PLUGIN_HOST", MagicCookieValue: "interpreted"}
}

// Plugin is one loaded plugin, both as aura calls it and as the child serves it. Cancelling ctx notifies the plugin, but the
// plugin may ignore that, so the caller must be ready to kill it.
type Plugin interface {
	// Load returns what the plugin exports, once its init functions and its Init have run.
	Load(ctx context.Context) (Exports, error)
	// Hook calls one hook point and returns the point's result type.
	Hook(ctx context.Context, call HookCall) (any, error)
	// Execute runs the plugin's tool.
	Execute(ctx context.Context, call ToolCall) (string, error)
	// Paths returns which files a call of the plugin's tool would touch.
	Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error)
	// Command runs the plugin's slash command.
	Command(ctx context.Context, call CommandCall) (sdk.CommandResult, error)
}

// Remote is a plugin in another process.
type Remote interface {
	Plugin
	// Quiesce returns once no call is running in the child, or with the error of ctx. It distinguishes a plugin that ended a
	// cancelled call from one that continues to work on it.
	Quiesce(ctx context.Context) error
	// Stats returns statistics that only the child knows.
	Stats(ctx context.Context) (Stats, error)
}

// Stats holds the statistics of a child.
type Stats struct {
	Goroutines int
}

// HookCall is the input of one hook. Context is a value of the point's context type.
type HookCall struct {
	Point   hookpoint.Name
	Context any
	Env     map[string]string
}

// ToolCall is the input of the plugin's tool. Env holds task variables that the plugin may see.
type ToolCall struct {
	Context sdk.Context
	Args    map[string]any
	Env     map[string]string
}

// CommandCall is the input of the plugin's slash command.
type CommandCall struct {
	Context sdk.Context
	Args    string
	Env     map[string]string
}

// Exports describes what a plugin exports.
type Exports struct {
	// Module and Package are the import path and the package name of the source.
	Module  string
	Package string
	// Hooks is in the order of the hook point table.
	Hooks   []hookpoint.Name
	Tool    *ToolExport
	Command *sdk.CommandSchema
	// SystemPrompt is added to the system prompt of every turn.
	SystemPrompt string
	// Unread names the growing lists of a context that the plugin cannot read; they are not sent to it.
	Unread []string
	// Warnings are for the plugin's author, such as an optional function with a wrong signature.
	Warnings []string
	// Sandbox describes how the child is confined; nil if it is not confined. It is not cached with the other fields.
	Sandbox *sandbox.Report `cbor:"Sandbox" json:"-"`
}

// ToolExport is a plugin's tool with the results of its optional functions, or their defaults.
type ToolExport struct {
	Schema      sdk.ToolSchema
	Sandboxable bool
	Parallel    bool
	// Available is the result of this run. It may differ next time if HasAvailable is set.
	Available    bool
	HasAvailable bool
	HasPaths     bool
}

// Failure is an error that happened inside the plugin while its child continued to run.
//
//nolint:errname // it is one word on the wire and in the code: error, panic, goexit and the like are kinds of failure
type Failure struct {
	Kind    FailureKind
	Message string
}

// FailureKind is how a call failed.
type FailureKind string

// The kinds of failure.
const (
	// FailureError is an error that the plugin returned.
	FailureError FailureKind = "error"
	// FailurePanic is a panic that the child recovered.
	FailurePanic FailureKind = "panic"
	// FailureGoexit is a call that ended its goroutine.
	FailureGoexit FailureKind = "goexit"
	// FailureLoad is a plugin that could not be loaded.
	FailureLoad FailureKind = "load"
	// FailureSize is an answer that is larger than MaxMessage.
	FailureSize FailureKind = "size"
	// FailureWire is a call that the child could not read, or an answer that it could not send.
	FailureWire FailureKind = "wire"
	// FailureUnsupported is a call of something that the plugin does not export.
	FailureUnsupported FailureKind = "unsupported"
)

func (f *Failure) Error() string { return f.Message }
