package inspect

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// ToolEntry describes a tool in a list.
type ToolEntry struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source is where the tool comes from. Origin is the plugin or the server that provides the tool.
	Source string `json:"source"`
	Origin string `json:"origin,omitempty"`
	// Dir is the directory of the plugin, or the file that configures the server.
	Dir string `json:"dir,omitempty"`
	// Definition is the file in config/tools that changes the tool.
	Definition string `json:"definition,omitempty"`
	Parallel   bool   `json:"parallel"`
	// Sandboxable reports whether the tool is confined when the sandbox is enabled.
	Sandboxable bool `json:"sandboxable"`
	OptIn       bool `json:"opt_in"`
	Override    bool `json:"override"`
	// Offered reports whether the model of the chosen role is offered the tool. Hidden says why it is not.
	Offered bool   `json:"offered"`
	Hidden  string `json:"hidden,omitempty"`
	// Condition is the condition under which the tool is offered; empty means always.
	Condition  string          `json:"condition,omitempty"`
	Usage      string          `json:"usage,omitempty"`
	Examples   string          `json:"examples,omitempty"`
	Parameters json.RawMessage `json:"parameters"`
}

// List returns all tools, sorted by name.
func (b *Toolbox) List(ctx context.Context) []ToolEntry {
	out := []ToolEntry{}
	for _, t := range b.all {
		d := t.Definition()
		if won, ok := b.registry.Lookup(d.Name); ok && won.Definition().Origin != d.Origin && !b.isUnavailable(d) {
			continue // replaced by another tool
		}
		out = append(out, b.entry(ctx, t))
	}
	slices.SortFunc(out, func(x, y ToolEntry) int { return cmp.Compare(x.Name, y.Name) })
	return out
}

// Inspect returns one tool. The error may be an *UnknownToolError.
func (b *Toolbox) Inspect(ctx context.Context, name string) (ToolEntry, error) {
	t, err := b.find(name)
	if err != nil {
		return ToolEntry{}, err
	}
	return b.entry(ctx, t), nil
}

func (b *Toolbox) entry(ctx context.Context, t tool.Tool) ToolEntry {
	c, d := b.source.Config, t.Definition()
	changed := c.ToolDefinitions[d.Name]
	e := ToolEntry{
		Name: d.Name, Description: d.Description, Source: string(d.Source), Origin: d.Origin, Definition: changed.Source.File,
		Parallel: d.Parallel, Sandboxable: sandboxable(t), OptIn: d.OptIn || tool.Match(b.features.Tools.OptIn, d.Name), Override: d.Override,
		Condition: b.condition(t).String(), Usage: d.Usage, Examples: d.Examples, Parameters: d.Parameters,
	}
	if len(e.Parameters) == 0 {
		e.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	switch d.Source {
	case tool.SourcePlugin:
		e.Dir = b.plugins.Entries[d.Origin].Dir
	case tool.SourceMCP:
		e.Dir = c.MCPServers[d.Origin].Source.File
	case tool.SourceBuiltin:
	}
	e.Hidden = b.hidden(ctx, t)
	e.Offered = e.Hidden == ""
	return e
}

// sandboxable reports whether a tool is confined when the sandbox is enabled.
func sandboxable(t tool.Tool) bool {
	if p, ok := tool.As[setup.PluginTool](t); ok {
		return p.Sandboxable
	}
	return slices.Contains(filesAndShell, t.Definition().Name) && t.Definition().Source == tool.SourceBuiltin
}

// filesAndShell lists the built-in tools that access files, the shell or the web.
var filesAndShell = []string{"Bash", "Edit", "Glob", "Ls", "Mkdir", "Patch", "Read", "Rg", "WebFetch", "Write"}

// hidden returns why a tool is not offered, or an empty string if it is offered. If there are several reasons, hidden returns
// the one that the user has to resolve first.
func (b *Toolbox) hidden(ctx context.Context, t tool.Tool) string {
	c, d := b.source.Config, t.Definition()
	switch changed := c.ToolDefinitions[d.Name]; {
	case changed.Disabled:
		return "disabled in " + changed.Source.File
	case b.isUnavailable(d):
		return fmt.Sprintf("plugin %q says that it is not available", d.Origin)
	case d.Name == donetool.Name:
		return "done mode is off; /done turns it on"
	}
	if why := b.source.Filtered(b.role, b.features, d); why != "" {
		return why
	}
	if slices.Contains(background.Names(), d.Name) {
		return "no command runs in the background before a session begins"
	}
	if s := c.MCPServers[d.Origin]; d.Source == tool.SourceMCP && s.Deferred {
		return "its server is deferred, so the model has to load it"
	}
	if expr := b.condition(t); !expr.IsZero() && !b.opts.Asleep {
		state := sdk.Context{Agent: b.role.Agent.Name, Mode: b.role.Mode.Name, Workdir: c.Workdir}
		if holds, err := b.source.Holds(ctx, b.features, expr, state); err != nil {
			return fmt.Sprintf("its condition %q cannot be evaluated: %v", expr, err)
		} else if !holds {
			return fmt.Sprintf("its condition %q does not hold before a session begins", expr)
		}
	}
	return ""
}
