package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// ToolEntry is a tool in a list.
type ToolEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source is where the tool comes from, Origin the plugin or the server behind it.
	Source string `json:"source"`
	Origin string `json:"origin,omitempty"`
	// Dir is where the plugin is, or the file in which the server is configured.
	Dir string `json:"dir,omitempty"`
	// Definition is the file in config/tools that changes the tool.
	Definition string `json:"definition,omitempty"`
	Parallel   bool   `json:"parallel"`
	// Sandboxable tools are confined where the sandbox is on.
	Sandboxable bool `json:"sandboxable"`
	OptIn       bool `json:"opt_in"`
	Override    bool `json:"override"`
	// Offered tools are shown to the model of the role that was chosen. Hidden says why the others are not.
	Offered bool   `json:"offered"`
	Hidden  string `json:"hidden,omitempty"`
	// Condition is under which the tool is offered; empty means always.
	Condition  string          `json:"condition,omitempty"`
	Usage      string          `json:"usage,omitempty"`
	Examples   string          `json:"examples,omitempty"`
	Parameters json.RawMessage `json:"parameters"`
}

// List tells about all tools, in the order of their names.
func (b *Toolbox) List(ctx context.Context) []ToolEntry {
	out := []ToolEntry{}
	for _, t := range b.all {
		d := t.Definition()
		if won, ok := b.registry.Lookup(d.Name); ok && won.Definition().Origin != d.Origin && !b.isAway(d) {
			continue // displaced
		}
		out = append(out, b.entry(ctx, t))
	}
	slices.SortFunc(out, func(x, y ToolEntry) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// Inspect tells about one tool. Its error may be an *UnknownToolError.
func (b *Toolbox) Inspect(ctx context.Context, name string) (ToolEntry, error) {
	t, err := b.find(name)
	if err != nil {
		return ToolEntry{}, err
	}
	return b.entry(ctx, t), nil
}

func (b *Toolbox) entry(ctx context.Context, t tool.Tool) ToolEntry {
	a, d := b.app, t.Definition()
	changed := a.cfg.ToolDefinitions[d.Name]
	e := ToolEntry{
		Name: d.Name, Description: d.Description, Source: string(d.Source), Origin: d.Origin, Definition: changed.Source.File,
		Parallel: d.Parallel, Sandboxable: sandboxable(t), OptIn: d.OptIn || tool.Match(a.features.Tools.OptIn, d.Name), Override: d.Override,
		Condition: b.condition(d).String(), Usage: d.Usage, Examples: d.Examples, Parameters: d.Parameters,
	}
	if len(e.Parameters) == 0 {
		e.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	switch d.Source {
	case tool.SourcePlugin:
		e.Dir = a.entries[d.Origin].Dir
	case tool.SourceMCP:
		e.Dir = a.cfg.MCPServers[d.Origin].Source.File
	case tool.SourceBuiltin:
	}
	e.Hidden = b.hidden(ctx, d)
	e.Offered = e.Hidden == ""
	return e
}

// sandboxable reports whether a tool is confined where the sandbox is on.
func sandboxable(t tool.Tool) bool {
	if p, ok := tool.As[pluginTool](t); ok {
		return p.sandboxable
	}
	return slices.Contains(filesAndShell, t.Definition().Name) && t.Definition().Source == tool.SourceBuiltin
}

// filesAndShell are the built-in tools that touch more than aura itself.
var filesAndShell = []string{"Bash", "Edit", "Glob", "Ls", "Mkdir", "Patch", "Read", "Rg", "Write"}

// hidden says why a tool is not offered; empty if it is. What is told first is what has to be changed first.
func (b *Toolbox) hidden(ctx context.Context, d tool.Definition) string {
	a := b.app
	switch changed := a.cfg.ToolDefinitions[d.Name]; {
	case changed.Disabled:
		return "disabled in " + changed.Source.File
	case b.isAway(d):
		return fmt.Sprintf("plugin %q says that it is not available", d.Origin)
	case d.Name == done.Name:
		return "done mode is off; /done turns it on"
	}
	if why := a.filtered(d); why != "" {
		return why
	}
	if s := a.cfg.MCPServers[d.Origin]; d.Source == tool.SourceMCP && s.Deferred {
		return "its server is deferred, so the model has to ask for it"
	}
	if c := b.condition(d); !c.IsZero() && !b.opts.Asleep {
		state := sdk.Context{Agent: a.role.agent.Name, Mode: a.role.mode.Name, Workdir: a.cfg.Workdir}
		if holds, err := a.holds(ctx, c, state); err != nil {
			return fmt.Sprintf("its condition %q cannot be evaluated: %v", c, err)
		} else if !holds {
			return fmt.Sprintf("its condition %q does not hold before a session begins", c)
		}
	}
	return ""
}

// filtered says which of the layers leaves a tool out; empty if none does.
func (a *App) filtered(d tool.Definition) string {
	named := !d.OptIn && !tool.Match(a.features.Tools.OptIn, d.Name)
	for _, l := range a.namedLayers() {
		switch {
		case len(l.by.Enabled) > 0 && !tool.Match(l.by.Enabled, d.Name):
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

// namedLayer is a filter and what to call it where it offers and where it leaves out.
type namedLayer struct {
	enables, disables string
	by                config.ToolFilter
}

// namedLayers are those of layers, with what the command line excludes apart.
func (a *App) namedLayers() []namedLayer {
	const settings = "tools: in the settings"
	enables, all := settings, a.layers(a.role, a.features)
	if len(a.opts.IncludeTools) > 0 {
		enables = "--include-tools"
	}
	all[0].Disabled = a.features.Tools.Disabled
	agent, mode := fmt.Sprintf("agent %q", a.role.agent.Name), fmt.Sprintf("mode %q", a.role.mode.Name)
	return []namedLayer{
		{enables, settings, all[0]},
		{"", "--exclude-tools", config.ToolFilter{Disabled: a.opts.ExcludeTools}},
		{agent, agent, all[1]},
		{mode, mode, all[2]},
	}
}
