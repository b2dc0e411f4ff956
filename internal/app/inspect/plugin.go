// Package inspect has what commands list and try without a conversation: plugins, tools, models, shell hooks, MCP servers, saved
// sessions and paths. It starts what it needs for that, and stops it again.
package inspect

import (
	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/internal/system/machinepolicy"
	"github.com/idelchi/aura/sdk"
)

// Plugin describes one plugin completely.
type Plugin struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Status      setup.Status `json:"status"`
	Dir         string       `json:"dir"`
	// Runtime is what runs the plugin.
	Runtime manifest.Runtime `json:"runtime"`
	// Go describes how a plugin in Go is run; nil for others.
	Go *GoInfo `json:"go,omitempty"`
	// Components holds what a portable plugin has, and Data is the directory for its data; empty for other plugins.
	Components *manifest.Components `json:"components,omitempty"`
	Data       string               `json:"data,omitempty"`
	// Tier is where the plugin comes from. A plugin shadows those of lower tiers.
	Tier       config.HomeKind `json:"tier"`
	Home       HomeInfo        `json:"home"`
	ShadowedBy string          `json:"shadowed_by,omitempty"`
	Shadows    []string        `json:"shadows,omitempty"`
	SettingsInfo
	Origin *manifest.Origin `json:"origin"`
	// SignedBy is who signed the installed version, with the key and what was signed; empty if no signature was verified.
	SignedBy string `json:"signed_by,omitempty"`
	// Index is the source from which the version was installed, with the serial of its index or that it is not signed; empty if there was none.
	Index string `json:"index,omitempty"`
	// Rules has the rules of the policy of the machine that apply to the plugin.
	Rules []machinepolicy.Rule `json:"policy_rules,omitempty"`
	ExportsInfo
	Files    []string `json:"files"`
	Warnings []string `json:"warnings,omitempty"`
	SDKInfo
	// ProbeError is why the plugin cannot be loaded; empty if it can.
	ProbeError string `json:"probe_error,omitempty"`
	Log        string `json:"log"`
	// LoadMillis is how long the plugin took to start, in milliseconds, if it was started for the inspection.
	LoadMillis float64       `json:"load_ms,omitempty"`
	Processes  []host.Health `json:"processes"`
}

// SettingsInfo is what the manifest and the settings say about a plugin.
type SettingsInfo struct {
	Condition string   `json:"condition"`
	Once      bool     `json:"once"`
	Env       []string `json:"env"`
	Override  bool     `json:"override"`
	OptIn     bool     `json:"opt_in"`
	Unsafe    bool     `json:"unsafe"`
	// Requested is what the plugin requests beyond the defaults. Granted is the part of it that is granted.
	Requested manifest.Asks  `json:"requested"`
	Granted   manifest.Asks  `json:"granted"`
	Config    map[string]any `json:"config"`
	Timeouts  Timeouts       `json:"timeouts"`
	OnFailure string         `json:"on_failure"`
	// MemoryLimit is in bytes.
	MemoryLimit int64 `json:"memory_limit_bytes"`
}

// ExportsInfo is what a plugin adds to a conversation.
type ExportsInfo struct {
	Hooks []hookpoint.Name `json:"hooks"`
	// Events names the events that a Python extension handles.
	Events []string `json:"events,omitempty"`
	// Tool and Command are the first of Tools and Commands.
	Tool     *ToolInfo     `json:"tool"`
	Command  *CommandInfo  `json:"command"`
	Tools    []ToolInfo    `json:"tools"`
	Commands []CommandInfo `json:"commands"`
	// Listens and Emits name events of other plugins and of this one. Emits has only the names that the source shows.
	Listens []string `json:"listens,omitempty"`
	Emits   []string `json:"emits,omitempty"`
	// SystemPrompt is what the plugin adds to the system prompt of every turn.
	SystemPrompt string `json:"system_prompt,omitempty"`
}

// SDKInfo tells which SDK a plugin was written for.
type SDKInfo struct {
	// SDKVersion is empty if the SDK is not vendored, or if the version of the vendored SDK cannot be read.
	SDKVersion    string `json:"sdk_version"`
	SDKVendored   bool   `json:"sdk_vendored"`
	SDKCompatible bool   `json:"sdk_compatible"`
	HostSDK       string `json:"host_sdk_version"`
}

// GoInfo describes how a plugin in Go is run.
type GoInfo struct {
	// Asked is the key runtime of plugin.yaml. Permitted is whether the settings permit compiled plugins.
	Asked     manifest.GoRuntime `json:"asked"`
	Permitted bool               `json:"permitted"`
	// Runs is what runs the plugin at its next start: interpreted or native, or nothing if the plugin must be native and may not.
	Runs string `json:"runs"`
	// Build is the state of the compiled program; nil if there is none to build.
	Build *host.Build `json:"build,omitempty"`
}

// HomeInfo is the home that a plugin belongs to.
type HomeInfo struct {
	Dir  string          `json:"dir"`
	Kind config.HomeKind `json:"kind"`
}

// Timeouts are the timeouts of a plugin, in seconds.
type Timeouts struct {
	Hook float64 `json:"hook_s"`
	Tool float64 `json:"tool_s"`
	Load float64 `json:"load_s"`
}

// ToolInfo describes a plugin's tool.
type ToolInfo struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Usage       string `json:"usage,omitempty"`
	Examples    string `json:"examples,omitempty"`
	// Parameters is a sdk.ToolParameters for the tool of Schema, and a JSON schema for a tool of Tools.
	Parameters       any              `json:"parameters"`
	SideEffects      []sdk.SideEffect `json:"side_effects,omitempty"`
	RequiresApproval bool             `json:"requires_approval"`
	// Timeout is in seconds; 0 if the plugin's deadline applies.
	Timeout     float64 `json:"timeout_s,omitempty"`
	Parallel    bool    `json:"parallel"`
	Sandboxable bool    `json:"sandboxable"`
	Available   bool    `json:"available"`
}

// CommandInfo describes a plugin's slash command.
type CommandInfo struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Hints       []string `json:"hints,omitempty"`
	Forward     bool     `json:"forward"`
	Silent      bool     `json:"silent"`
}
