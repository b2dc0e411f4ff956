package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
)

// layers returns the active filters; each narrows the result of the previous one. Tools included on the command line replace
// those included by the configuration. Tools excluded by either are excluded.
func (s Source) layers(r Role, f config.Features) []config.ToolFilter {
	global := config.ToolFilter{Enabled: f.Tools.Enabled, Disabled: slices.Concat(f.Tools.Disabled, s.Options.ExcludeTools)}
	if len(s.Options.IncludeTools) > 0 {
		global.Enabled = s.Options.IncludeTools
	}
	out := []config.ToolFilter{global, r.Agent.Tools, r.Mode.Tools, r.Within.Tools}
	if s.Options.Task != nil {
		out = append(out, s.Options.Task.Tools)
	}
	return out
}

// narrow removes the tools that a layer excludes, and opt-in tools that no layer names exactly. It always keeps Done, which is
// turned on and off separately. A list of enabled tools that a layer has says nothing about Plan, which belongs to a mode.
func narrow(tools []tool.Tool, layers []config.ToolFilter, optIn []string) []tool.Tool {
	var out []tool.Tool
	for _, t := range tools {
		d := t.Definition()
		named := !d.OptIn && !tool.Match(optIn, d.Name)
		kept := true
		for _, l := range layers {
			kept = kept && (len(l.Enabled) == 0 || d.Name == PlanName || tool.Match(l.Enabled, d.Name)) && !tool.Match(l.Disabled, d.Name)
			named = named || slices.Contains(l.Enabled, d.Name)
		}
		if kept && named || d.Name == donetool.Name {
			d.OptIn = false // a layer has opted in
			out = append(out, tool.WithDefinition(t, d))
		}
	}
	return out
}

// Filtered returns which layer excludes a tool and why, or an empty string if none does.
func (s Source) Filtered(r Role, f config.Features, d tool.Definition) string {
	named := !d.OptIn && !tool.Match(f.Tools.OptIn, d.Name)
	for _, l := range s.namedLayers(r, f) {
		switch {
		case len(l.by.Enabled) > 0 && d.Name != PlanName && !tool.Match(l.by.Enabled, d.Name):
			return fmt.Sprintf("%s offers only %s", l.enables, strings.Join(l.by.Enabled, ", "))
		case tool.Match(l.by.Disabled, d.Name):
			return l.disables + " leaves it out"
		}
		named = named || slices.Contains(l.by.Enabled, d.Name)
	}
	if !named {
		return "it is opt-in, and no filter names it"
	}
	return ""
}

// namedLayer is a filter with its names for messages: one as the filter that enables tools, one as the filter that disables
// them.
type namedLayer struct {
	enables, disables string
	by                config.ToolFilter
}

// namedLayers returns layers with their names. What the command line excludes is a layer of its own.
func (s Source) namedLayers(r Role, f config.Features) []namedLayer {
	const settings = "tools: in the settings"
	enables, all := settings, s.layers(r, f)
	if len(s.Options.IncludeTools) > 0 {
		enables = "--include-tools"
	}
	all[0].Disabled = f.Tools.Disabled
	agent, mode := fmt.Sprintf("agent %q", r.Agent.Name), fmt.Sprintf("mode %q", r.Mode.Name)
	return []namedLayer{
		{enables, settings, all[0]},
		{"", "--exclude-tools", config.ToolFilter{Disabled: s.Options.ExcludeTools}},
		{agent, agent, all[1]},
		{mode, mode, all[2]},
	}
}
