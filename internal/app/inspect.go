package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/manifest"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/sdk/version"
	"github.com/idelchi/aura/shared"
)

// Info describes one plugin completely.
type Info struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Status      setup.Status `json:"status"`
	Dir         string       `json:"dir"`
	// Runtime is what runs the plugin.
	Runtime manifest.Runtime `json:"runtime"`
	// Go describes how a plugin in Go is run; nil for others.
	Go *GoInfo `json:"go,omitempty"`
	// Tier is where the plugin comes from. A plugin shadows those of lower tiers.
	Tier       config.HomeKind `json:"tier"`
	Home       HomeInfo        `json:"home"`
	ShadowedBy string          `json:"shadowed_by,omitempty"`
	Shadows    []string        `json:"shadows,omitempty"`
	SettingsInfo
	Origin *manifest.Origin `json:"origin"`
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

// runsNothing is GoInfo.Runs of a plugin that cannot start.
const runsNothing = "nothing"

// goInfo describes how a plugin in Go is run with a specification.
func goInfo(c *config.Config, spec host.Spec) *GoInfo {
	out := &GoInfo{Asked: cmp.Or(spec.Manifest.Runtime, manifest.GoRuntimeAuto), Permitted: c.Features.Plugins.Native, Runs: host.RuntimeInterpreted}
	if n := spec.Native; n != nil {
		b := n.Describe()
		out.Build = &b
		if n.Only || b.State == host.BuildReady {
			out.Runs = host.RuntimeNative
		}
	}
	if spec.NativeError != nil {
		out.Build = &host.Build{State: host.BuildFailed, Reason: spec.NativeError.Error()}
	}
	if out.Asked == manifest.GoRuntimeNative {
		out.Runs = host.RuntimeNative
		if !out.Permitted {
			out.Runs = runsNothing
		}
	}
	return out
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

// probeSession is the name of the session of plugins that are started only for an inspection.
const probeSession = "probe"

// InspectAll describes all plugins. It starts only plugins whose exports are not cached.
func InspectAll(ctx context.Context, l gate.Listing, unsafe bool) ([]Info, error) {
	entries, err := l.Entries()
	if err != nil {
		return nil, err
	}
	return inspect(ctx, l.Config, entries, unsafe, false)
}

// Inspect describes the plugins with one name, the one in use first. If no session runs the plugin, Inspect starts it and
// measures it.
func Inspect(ctx context.Context, l gate.Listing, name string, unsafe bool) ([]Info, error) {
	entries, err := l.Entries()
	if err != nil {
		return nil, err
	}
	var chosen []setup.Entry
	var known []string
	for _, e := range entries {
		if e.Name == name {
			chosen = append(chosen, e)
		}
		if e.Status != setup.StatusShadowed {
			known = append(known, e.Name)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("showing plugin %q: it does not exist; known plugins: %s", name, dashIfNone(known))
	}
	return inspect(ctx, l.Config, chosen, unsafe, true)
}

func dashIfNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func inspect(ctx context.Context, c *config.Config, entries []setup.Entry, unsafe, measure bool) (out []Info, err error) {
	running := host.Running(setup.RuntimeDirs(c)...)
	place, err := host.OpenSession(setup.RuntimeDir(c), probeSession)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, place.Close()) }()
	o, err := setup.HostOptions(c)
	if err != nil {
		return nil, err
	}
	o.Session = place
	for _, e := range entries {
		info := describe(c, e, unsafe)
		if e.Status == setup.StatusUnavailable {
			info.ProbeError = e.Err.Error()
		}
		for _, h := range running {
			if h.Dir == e.Dir && h.Name == e.Name && h.Session != probeSession {
				info.Processes = append(info.Processes, h.Health)
			}
		}
		out = append(out, info)
	}
	// A fleet holds one plugin per name, so plugins with the same name are probed one after the other.
	for rest := entries; len(rest) > 0; {
		var now, later []setup.Entry
		names := make(map[string]bool)
		for _, e := range rest {
			switch {
			case e.Status == setup.StatusDisabled, e.Status == setup.StatusUntrusted, e.Status == setup.StatusUnavailable:
			case names[e.Name]:
				later = append(later, e)
			default:
				names[e.Name] = true
				now = append(now, e)
			}
		}
		if err := probe(ctx, c, o, now, unsafe, measure, out); err != nil {
			return nil, err
		}
		rest = later
	}
	return out, nil
}

// probe finds out what plugins export, from the cache or by starting the plugins, and adds it to their infos. If measure is
// set, probe starts a plugin that no session runs and adds its health.
func probe(ctx context.Context, c *config.Config, o host.Options, entries []setup.Entry, unsafe, measure bool, infos []Info) error {
	// Several extensions may be declared in one directory.
	type key struct{ dir, name string }
	byDir := make(map[key]*Info)
	for i := range infos {
		byDir[key{infos[i].Dir, infos[i].Name}] = &infos[i]
	}
	var specs []host.Spec
	for _, e := range entries {
		specs = append(specs, e.Spec(c, unsafe))
		measure = measure && len(byDir[key{e.Dir, e.Name}].Processes) == 0
	}
	o.Lazy = !measure
	fleet, err := host.Start(ctx, o, specs)
	if err != nil {
		return err
	}
	defer fleet.Close()
	for _, p := range fleet.Plugins() {
		info := byDir[key{p.Spec().Dir, p.Name()}]
		if measure {
			if err := p.Ready(ctx); err != nil {
				return err
			}
			health := p.Health()
			info.LoadMillis = health.LoadMillis
			info.Processes = append(info.Processes, health)
		}
		info.fill(p)
	}
	return nil
}

// describe returns what the files of a plugin show.
func describe(c *config.Config, e setup.Entry, unsafe bool) Info {
	spec := host.Spec{Config: e.Manifest.Config}
	if e.Status != setup.StatusUntrusted {
		spec = e.Spec(c, unsafe)
	}
	m := e.Manifest
	hook, tool, load := host.Timeouts(m)
	info := Info{
		Name: e.Name, Description: m.Description, Status: e.Status, Dir: e.Dir, Runtime: e.Runtime, Tier: e.Tier(),
		Home: HomeInfo{Dir: e.Home.Dir, Kind: e.Home.Kind}, ShadowedBy: e.ShadowedBy, Shadows: e.Shadows,
		SettingsInfo: SettingsInfo{
			Condition: m.Condition.String(), Once: m.Once, Env: m.Env, Override: m.Override, OptIn: m.OptIn,
			Unsafe: spec.Unsafe, Config: spec.Config, OnFailure: string(m.OnFailure), MemoryLimit: m.Limits.Memory,
			Timeouts:  Timeouts{Hook: hook.Seconds(), Tool: tool.Seconds(), Load: load.Seconds()},
			Requested: e.Asks(), Granted: setup.Granted(e, c, unsafe),
		},
		ExportsInfo: ExportsInfo{Hooks: []hookpoint.Name{}},
		SDKInfo:     SDKInfo{HostSDK: version.Version, SDKCompatible: true},
		Origin:      e.Origin, Log: spec.LogFile, Processes: []host.Health{},
	}
	if info.Env == nil {
		info.Env = []string{}
	}
	info.Tools, info.Commands = []ToolInfo{}, []CommandInfo{}
	files, err := manifest.Files(e.Dir)
	if err != nil {
		info.Warnings = append(info.Warnings, err.Error())
	}
	info.Files = files
	info.Runtime = cmp.Or(info.Runtime, manifest.RuntimeGo)
	if !e.Python() {
		spec.Manifest = m
		info.Go = goInfo(c, spec)
	}
	v, ok, err := manifest.VendoredSDK(e.Dir)
	info.SDKVendored = ok || manifest.HasVendoredSDK(e.Dir)
	switch {
	case e.Python():
	case err != nil:
		info.Warnings, info.SDKCompatible = append(info.Warnings, err.Error()), false
	case ok:
		info.SDKVersion = v
		info.SDKCompatible = manifest.CompatibleSDK(v, version.Version) == nil
	}
	return info
}

// fill adds the exports of the plugin.
func (i *Info) fill(p *host.Plugin) {
	if down := p.Down(); down != nil {
		i.ProbeError = host.Reason(down).Error()
	}
	if b := i.Go; b != nil && b.Build != nil && p.Spec().Native != nil {
		// The plugin may have been compiled to look at it.
		now := p.Spec().Native.Describe()
		b.Build = &now
	}
	exports, known := p.Exports()
	if !known {
		if i.ProbeError == "" {
			i.ProbeError = "it did not load"
		}
		return
	}
	i.Events = exports.Events
	if exports.Hooks != nil {
		i.Hooks = exports.Hooks
	}
	i.Warnings = append(i.Warnings, exports.Warnings...)
	i.SystemPrompt = exports.SystemPrompt
	i.Listens, i.Emits = exports.Listens, exports.Emits
	for _, t := range exports.Tools {
		i.Tools = append(i.Tools, toolInfo(t))
	}
	for _, c := range exports.Commands {
		i.Commands = append(i.Commands, CommandInfo{Name: c.Name, Description: c.Description, Hints: c.Hints, Forward: c.Forward, Silent: c.Silent})
	}
	if len(i.Tools) > 0 {
		i.Tool = &i.Tools[0]
	}
	if len(i.Commands) > 0 {
		i.Command = &i.Commands[0]
	}
}

func toolInfo(t shared.ToolExport) ToolInfo {
	out := ToolInfo{
		Name: t.Schema.Name, Description: t.Schema.Description, Usage: t.Schema.Usage, Examples: t.Schema.Examples,
		Parameters: t.Schema.Parameters, SideEffects: t.SideEffects, RequiresApproval: t.RequiresApproval, Timeout: t.Timeout.Seconds(),
		Parallel: t.Parallel, Sandboxable: t.Sandboxable, Available: t.Available,
	}
	if len(t.Parameters) > 0 {
		out.Parameters = json.RawMessage(t.Parameters)
	}
	return out
}

// LogOf returns the path of a plugin's log.
func LogOf(l gate.Listing, name string) (string, error) {
	entries, err := l.Entries()
	if err != nil {
		return "", err
	}
	var known []string
	for _, e := range entries {
		if e.Name == name {
			return e.LogFile(), nil
		}
		known = append(known, e.Name)
	}
	return "", fmt.Errorf("reading the log of plugin %q: there is no such plugin; known plugins: %s", name, dashIfNone(known))
}
