package setup

import (
	"context"
	"fmt"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/sandbox"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
	"github.com/idelchi/aura/shared"
)

// PluginTool is a plugin's tool in the registry.
type PluginTool struct {
	Plugin *host.Plugin
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
		return t.Plugin.ExecuteUnder(ctx, t.apart, call.Context, call.Args)
	}
	return t.Plugin.Execute(ctx, call.Context, call.Args)
}

// Paths asks the plugin which files a call will access.
func (t PluginTool) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	exports, _ := t.Plugin.Exports()
	if exports.Tool == nil || !exports.Tool.HasPaths {
		return sdk.ToolPaths{}, nil
	}
	return t.Plugin.Paths(ctx, args)
}

// In returns the tool in another child process of its plugin, which is already confined to a policy.
func (t PluginTool) In(p *host.Plugin, policy sandbox.Policy, workdir string) tool.Tool {
	t.Plugin, t.policy, t.apart = p, policy, nil
	return fenced{Tool: t, policy: policy, workdir: workdir}
}

// PluginTools returns the tools that plugins offer. A tool that cannot be offered is reported and omitted.
func (s Source) PluginTools(c Confinement, live Live) []tool.Tool {
	var out []tool.Tool
	for _, p := range live.Plugins {
		exports, known := p.Exports()
		if !known || exports.Tool == nil || !exports.Tool.Available {
			continue
		}
		schema, err := tool.FromSDK(exports.Tool.Schema)
		if err != nil {
			s.notice(p.Name(), fmt.Sprintf("plugin %q: its tool is left out: %v", p.Name(), err))
			continue
		}
		spec := p.Spec()
		made := PluginTool{Plugin: p.Plugin, Sandboxable: confinable(spec, exports)}
		if wanted := c.Plugin(live.Entries[p.Name()]); wanted != nil {
			made.policy, made.apart = *wanted, c.apart(spec, wanted, made.Sandboxable)
		}
		t, m := exports.Tool, spec.Manifest
		made.definition = tool.Definition{
			Name: t.Schema.Name, Description: t.Schema.Description, Usage: t.Schema.Usage, Examples: t.Schema.Examples, Parameters: schema,
			Source: tool.SourcePlugin, Origin: p.Name(), Parallel: t.Parallel, OptIn: m.OptIn, Override: m.Override,
		}
		out = append(out, made)
	}
	return out
}

// UnavailableTool returns a plugin's tool that the plugin reports as not available.
func UnavailableTool(p *host.Plugin, e shared.Exports) PluginTool {
	t := e.Tool
	return PluginTool{Plugin: p, Sandboxable: confinable(p.Spec(), e), definition: tool.Definition{
		Name: t.Schema.Name, Description: t.Schema.Description, Source: tool.SourcePlugin, Origin: p.Name(), Parallel: t.Parallel,
		OptIn: p.Spec().Manifest.OptIn,
	}}
}

// confinable reports whether a plugin's tool runs in the sandbox, because it can or because it must.
func confinable(s host.Spec, e shared.Exports) bool { return e.Tool.Sandboxable || !s.Unconfined }
