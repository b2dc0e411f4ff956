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

// PluginTool is a plugin's tool as the registry has it.
type PluginTool struct {
	Plugin *host.Plugin
	// Sandboxable tools work in the sandbox, or have to.
	Sandboxable bool

	definition tool.Definition
	// policy is what the tool is confined to, if there is a sandbox and it is sandboxable.
	policy sandbox.Policy
	// apart is the policy of a process for each call; nil if the plugin's own child runs the tool.
	apart *sandbox.Policy
}

// Definition describes the tool.
func (t PluginTool) Definition() tool.Definition { return t.definition }

// Execute runs the tool in the plugin's child, or in a process of its own under a stricter policy.
func (t PluginTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	if t.apart != nil {
		return t.Plugin.ExecuteUnder(ctx, t.apart, call.Context, call.Args)
	}
	return t.Plugin.Execute(ctx, call.Context, call.Args)
}

// Paths asks the plugin which files a call will touch.
func (t PluginTool) Paths(ctx context.Context, args map[string]any) (sdk.ToolPaths, error) {
	exports, _ := t.Plugin.Exports()
	if exports.Tool == nil || !exports.Tool.HasPaths {
		return sdk.ToolPaths{}, nil
	}
	return t.Plugin.Paths(ctx, args)
}

// In is the tool in another child of its plugin, which is confined to a policy already.
func (t PluginTool) In(p *host.Plugin, policy sandbox.Policy, workdir string) tool.Tool {
	t.Plugin, t.policy, t.apart = p, policy, nil
	return fenced{Tool: t, policy: policy, workdir: workdir}
}

// PluginTools are the tools that plugins offer. A tool that cannot be offered is reported and left out.
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

// UnavailableTool is a plugin's tool of which the plugin says that it is not available.
func UnavailableTool(p *host.Plugin, e shared.Exports) PluginTool {
	t := e.Tool
	return PluginTool{Plugin: p, Sandboxable: confinable(p.Spec(), e), definition: tool.Definition{
		Name: t.Schema.Name, Description: t.Schema.Description, Source: tool.SourcePlugin, Origin: p.Name(), Parallel: t.Parallel,
		OptIn: p.Spec().Manifest.OptIn,
	}}
}

// confinable reports whether a plugin's tool works in the sandbox, or has to.
func confinable(s host.Spec, e shared.Exports) bool { return e.Tool.Sandboxable || !s.Unconfined }
