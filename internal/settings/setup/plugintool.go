package setup

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/plugin/hookpoint"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/internal/system/sandbox"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// PluginTool is a tool of a plugin in the registry.
type PluginTool struct {
	Plugin *host.Plugin
	export shared.ToolExport
	// Sandboxable reports whether the tool runs in the sandbox, because it can or because it must.
	Sandboxable bool

	definition tool.Definition
	// policy is the policy of the tool if there is a sandbox and the tool is sandboxable.
	policy sandbox.Policy
	// apart is the policy of a separate process for each call; nil if the plugin's own child process runs the tool.
	apart *sandbox.Policy
}

// Definition describes the tool.
func (t PluginTool) Definition() tool.Definition { return t.definition }

// Execute runs the tool in the plugin's child process, or in a separate process with a stricter policy.
func (t PluginTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	if t.apart != nil {
		return t.Plugin.ExecuteUnder(ctx, t.apart, t.export.Schema.Name, call.Context, call.Args)
	}
	return t.Plugin.Execute(ctx, t.export.Schema.Name, call.Context, call.Args)
}

// Paths asks the plugin which files a call will access.
func (t PluginTool) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	if !t.export.HasPaths {
		return sdk.ToolPaths{}, nil
	}
	return t.Plugin.Paths(ctx, t.export.Schema.Name, args)
}

// In returns the tool in another child process of its plugin, which is already confined to a policy.
func (t PluginTool) In(p *host.Plugin, policy sandbox.Policy, workdir string) tool.Tool {
	t.Plugin, t.policy, t.apart = p, policy, nil
	return fenced{Tool: t, policy: policy, workdir: workdir}
}

// PluginTools returns the tools that plugins offer. A tool that cannot be offered is reported and omitted, and so is a tool of an extension
// whose name is taken: nobody agreed on the names of extensions, and an extension may be a guard.
func (s Source) PluginTools(c Confinement, live Live) []tool.Tool {
	var out []tool.Tool
	owners := TakenToolNames(s.Config)
	for _, p := range pipeline.Sorted(hookpoint.ByName, live.Plugins) {
		exports, known := p.Exports()
		if !known {
			continue
		}
		for _, t := range exports.Tools {
			if !t.Available {
				continue
			}
			made, err := s.pluginTool(c, live, p, t)
			if err != nil {
				s.leftOut(p.Name(), err.Error())
				continue
			}
			name := t.Schema.Name
			if owner := owners[name]; owner != "" && p.Extension() && !made.definition.Override && !s.Config.ToolDefinitions[name].Override {
				s.leftOut(p.Name(), fmt.Sprintf("%s has a tool of the name %q", owner, name))
				continue
			}
			owners[name] = made.definition.From()
			out = append(out, made)
		}
	}
	return out
}

// leftOut reports once why a tool of a plugin is left out.
func (s Source) leftOut(plugin, why string) {
	if text := fmt.Sprintf("plugin %q: its tool is left out: %s", plugin, why); s.Told == nil || s.Told.first(text) {
		s.notice(plugin, text)
	}
}

func (s Source) pluginTool(c Confinement, live Live, p host.View, t shared.ToolExport) (PluginTool, error) {
	schema, err := ToolParameters(t)
	if err != nil {
		return PluginTool{}, err
	}
	spec := p.Spec()
	made := PluginTool{Plugin: p.Plugin, export: t, Sandboxable: confinable(spec, t)}
	if wanted := c.Plugin(live.Entries[p.Name()]); wanted != nil {
		made.policy, made.apart = *wanted, c.apart(spec, wanted, made.Sandboxable)
	}
	made.definition = definition(spec, t)
	made.definition.Parameters, made.definition.Override = schema, spec.Manifest.Override
	return made, nil
}

// ToolParameters returns the JSON schema of a tool's arguments.
func ToolParameters(t shared.ToolExport) (json.RawMessage, error) {
	if len(t.Parameters) == 0 {
		return tool.FromSDK(t.Schema)
	}
	return tool.FromJSON(t.Schema.Name, t.Parameters)
}

// definition returns how the registry describes a tool, without its parameters.
func definition(spec host.Spec, t shared.ToolExport) tool.Definition {
	return tool.Definition{
		Name: t.Schema.Name, Description: t.Schema.Description, Usage: t.Schema.Usage, Examples: t.Schema.Examples,
		Source: tool.SourcePlugin, Origin: spec.Name, Parallel: t.Parallel, OptIn: spec.Manifest.OptIn,
		SideEffects: t.SideEffects, RequiresApproval: t.RequiresApproval,
	}
}

// UnavailableTool returns a plugin's tool that the plugin reports as not available.
func UnavailableTool(p *host.Plugin, t shared.ToolExport) PluginTool {
	return PluginTool{Plugin: p, export: t, Sandboxable: confinable(p.Spec(), t), definition: definition(p.Spec(), t)}
}

// confinable reports whether a plugin's tool runs in the sandbox, because it can or because it must.
func confinable(s host.Spec, t shared.ToolExport) bool { return t.Sandboxable || !s.Unconfined }
