package inspect

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
	"github.com/idelchi/aura/sdk/version"
	"github.com/idelchi/aura/shared"
)

// probeSession is the name of the session of plugins that are started only for an inspection.
const probeSession = "probe"

// Plugins describes all plugins. It starts only plugins whose exports are not cached.
func Plugins(ctx context.Context, l gate.Listing, unsafe bool) ([]Plugin, error) {
	entries, err := l.Entries()
	if err != nil {
		return nil, err
	}
	return describePlugins(ctx, l.Config, entries, unsafe, false)
}

// PluginsNamed describes the plugins with one name, the one in use first. If no session runs the plugin, PluginsNamed starts it and
// measures it.
func PluginsNamed(ctx context.Context, l gate.Listing, name string, unsafe bool) ([]Plugin, error) {
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
	return describePlugins(ctx, l.Config, chosen, unsafe, true)
}

// PluginIn describes the plugin of a name in a directory, by its files and the settings. It starts nothing, so that exports and processes are
// left out. ok is false if there is no such plugin.
func PluginIn(l gate.Listing, name, dir string, unsafe bool) (p Plugin, ok bool, err error) {
	entries, err := l.Entries()
	if err != nil {
		return Plugin{}, false, err
	}
	for _, e := range entries {
		if e.Name == name && e.Dir == dir {
			return describe(l.Config, e, unsafe), true, nil
		}
	}
	return Plugin{}, false, nil
}

func dashIfNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func describePlugins(ctx context.Context, c *config.Config, entries []setup.Entry, unsafe, measure bool) (out []Plugin, err error) {
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
		if e.Status == setup.StatusUnavailable || e.Portable() && e.Err != nil {
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
			case e.Portable(), e.Status == setup.StatusDisabled, e.Status == setup.StatusUntrusted, e.Status == setup.StatusUnavailable:
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
func probe(ctx context.Context, c *config.Config, o host.Options, entries []setup.Entry, unsafe, measure bool, infos []Plugin) error {
	// Several extensions may be declared in one directory.
	type key struct{ dir, name string }
	byDir := make(map[key]*Plugin)
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

// ByProject follows a signer that only the lock of a project names: whoever writes the project can write anything there.
const ByProject = ", as the project's lock says"

// signer returns who signed a plugin, and what was signed; empty if nobody did.
func signer(e setup.Entry) string {
	if e.Signer != "" && e.Home.Kind == config.HomeProject {
		return e.Signer + ByProject
	}
	return e.Signer
}

// describe returns what the files of a plugin show.
func describe(c *config.Config, e setup.Entry, unsafe bool) Plugin {
	spec := host.Spec{Config: e.Manifest.Config}
	if e.Status != setup.StatusUntrusted && !e.Portable() {
		spec = e.Spec(c, unsafe)
	}
	m := e.Manifest
	hook, tool, load := host.Timeouts(m)
	info := Plugin{
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
		Origin:      e.Origin, SignedBy: signer(e), Index: e.Index, Rules: setup.RulesFor(c, e), Log: spec.LogFile, Processes: []host.Health{},
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
	if e.Portable() {
		info.Components, info.Data = manifest.ComponentsOf(e.Plugin), e.DataDir()
		info.Warnings = append(info.Warnings, manifest.Faults(e.Plugin)...)
		return info
	}
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

// fill adds the exports of the plugin.
func (i *Plugin) fill(p *host.Plugin) {
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

// PluginLog returns the path of a plugin's log.
func PluginLog(l gate.Listing, name string) (string, error) {
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
