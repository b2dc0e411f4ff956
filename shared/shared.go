// Package shared defines what aura and aura-plugin-host have in common: the launch specification, the Plugin interface, both sides of a
// call and the codec. Nothing else belongs here. Package shared/client connects aura's side by go-plugin, and package shared/serve the
// child's. A child links neither go-plugin nor gRPC's library.
package shared

import (
	"context"
	"slices"
	"time"

	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
)

// MaxMessage is the size of the largest call or answer, in bytes. A larger call is sent with shorter lists. A call that is
// still too large, or an answer that is too large, fails only that call.
const MaxMessage = 64 << 20

// Grace is how long before the deadline of the RPC a plugin's own context ends, so that a plugin that respects its context can
// answer in time and need not be killed.
const Grace = 500 * time.Millisecond

// HangPrefix begins the lines that a child prints for a call that continues after its deadline: where the plugin's goroutines are.
const HangPrefix = "hang: "

// PluginKey is the name under which a child serves its one plugin.
const PluginKey = "plugin"

// ProtocolVersion is the version of what aura and a child say to each other.
const ProtocolVersion = 1

// Window is how many bytes each side may send before the other has read them.
const Window = 1 << 20

// MaxFrame is the size of the largest message of the connection, in bytes: that of a call, with some room for the envelope.
const MaxFrame = MaxMessage + 1<<20

// Plugin is one loaded plugin, both as aura calls it and as the child serves it. Cancelling ctx notifies the plugin, but the
// plugin may ignore that, so the caller must be ready to kill it.
type Plugin interface {
	// Load returns what the plugin exports, once its init functions and its Init have run.
	Load(ctx context.Context) (Exports, error)
	// Hook calls one hook point and returns the point's result type. A result beside a *Failure is what the hook decided although a part of
	// it failed, such as one of several handlers.
	Hook(ctx context.Context, call HookCall) (any, error)
	// Execute runs one of the plugin's tools.
	Execute(ctx context.Context, call ToolCall) (string, error)
	// Paths returns which files a call of one of the plugin's tools would touch.
	Paths(ctx context.Context, call PathsCall) (sdk.ToolPaths, error)
	// Command runs one of the plugin's slash commands.
	Command(ctx context.Context, call CommandCall) (sdk.CommandResult, error)
	// Event calls the plugin's handlers of an event that another plugin emitted.
	Event(ctx context.Context, e EventCall) error
}

// Remote is a plugin in another process.
type Remote interface {
	Plugin
	// Quiesce returns once no call is running in the child, or with the error of ctx. It distinguishes a plugin that ended a
	// cancelled call from one that continues to work on it.
	Quiesce(ctx context.Context) error
	// Stats returns statistics that only the child knows.
	Stats(ctx context.Context) (Stats, error)
	// Serve handles what the plugin asks of aura until the connection ends or ctx is done. It returns when it handles no more requests.
	// It must run before Load, because a plugin may ask while it loads.
	Serve(ctx context.Context, services Services) error
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

// ToolCall is the input of a tool. Env holds task variables that the plugin may see.
type ToolCall struct {
	// Tool is the name of the tool.
	Tool    string
	Context sdk.Context
	Args    map[string]any
	Env     map[string]string
}

// PathsCall asks which files a call of a tool would touch.
type PathsCall struct {
	Tool string
	Args map[string]any
}

// EventCall is an event that another plugin emitted. Payload is encoded by EncodePayload, so that only the process of the
// plugin that handles it decodes it.
type EventCall struct {
	Name    string
	Sender  string
	Payload []byte
}

// CommandCall is the input of a slash command.
type CommandCall struct {
	// Name is the name of the command, without a slash.
	Name    string
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
	Hooks []hookpoint.Name
	// Events names the events of an extension's handlers, in which listings show its hooks; empty for other plugins.
	Events   []string
	Tools    []ToolExport
	Commands []sdk.CommandSchema
	// Listens holds the names of the events that the plugin handles, and Emits the names of those that its source emits, both sorted.
	Listens []string
	Emits   []string
	// Disables holds the patterns by which the source disables tools, without those that it computes, sorted.
	Disables []string
	// SystemPrompt is added to the system prompt of every turn.
	SystemPrompt string
	// Unread names the growing lists of a context that the plugin cannot read; they are not sent to it.
	Unread []string
	// Warnings are for the plugin's author, such as an optional function with a wrong signature.
	Warnings []string
	// Lowered is the plugin's source as the interpreter runs it, unless aura sent it to the child. It is cached on its own.
	Lowered []byte `cbor:"Lowered" json:"-"`
	// Sandbox describes how the child is confined; nil if it is not confined. It is not cached with the other fields.
	Sandbox *sandbox.Report `cbor:"Sandbox" json:"-"`
}

// ToolExport is a plugin's tool with the results of its optional functions, or their defaults.
type ToolExport struct {
	// Schema describes the tool. Its Parameters are those of the plugin's Schema function.
	Schema sdk.ToolSchema
	// Parameters is the JSON schema of the arguments. It is empty if Schema has the parameters.
	Parameters []byte
	// SideEffects is what the tool does beside returning a text, empty if it does not say.
	SideEffects      []sdk.SideEffect
	RequiresApproval bool
	// Timeout replaces the deadline of the plugin's tools; 0 keeps it.
	Timeout time.Duration
	// Sandboxable is the same for all tools of a plugin.
	Sandboxable bool
	Parallel    bool
	// Available is the result of this run. It may differ next time if HasAvailable is set.
	Available    bool
	HasAvailable bool
	HasPaths     bool
}

// Sandboxable reports whether the plugin's tools can work in a sandbox.
func (e Exports) Sandboxable() bool {
	return !slices.ContainsFunc(e.Tools, func(t ToolExport) bool { return !t.Sandboxable })
}

// Tool returns the tool of a name, or nil.
func (e Exports) Tool(name string) *ToolExport {
	for i := range e.Tools {
		if e.Tools[i].Schema.Name == name {
			return &e.Tools[i]
		}
	}
	return nil
}

// HasAvailable reports whether the availability of a tool may differ at the next start.
func (e Exports) HasAvailable() bool {
	return slices.ContainsFunc(e.Tools, func(t ToolExport) bool { return t.HasAvailable })
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
