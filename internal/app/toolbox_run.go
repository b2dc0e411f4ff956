package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/donetool"
	"github.com/idelchi/aura/internal/setup"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/sdk"
)

// ToolCall is a call that the user makes.
type ToolCall struct {
	Name string
	// Texts are arguments to be converted by the schema, Args those that are JSON already. One of the two is set, or none.
	Texts map[string]string
	Args  map[string]any
	// Restrict narrows the sandbox for this call.
	Restrict ToolRestriction
	// Progress, if not nil, is given the output as it comes.
	Progress func(text string)
}

// ToolRestriction narrows what a tool may do to files.
type ToolRestriction = setup.Restriction

// sessionTools work on a conversation.
var sessionTools = []string{donetool.Name, setup.DelegateName, setup.LoadName}

// Run runs a tool, also one that no model is offered. Its error is an *UnknownToolError or a *tool.ArgumentsError if nothing
// ran, and what the tool says otherwise; the text is what the tool printed in either case.
func (b *Toolbox) Run(ctx context.Context, call ToolCall) (string, error) {
	t, err := b.find(call.Name)
	if err != nil {
		return "", err
	}
	if d := t.Definition(); b.isUnavailable(d) {
		return "", fmt.Errorf("plugin %q says that it is not available", d.Origin)
	}
	schema, err := tool.Compile(t.Definition().Parameters)
	if err != nil {
		return "", err
	}
	args := call.Args
	if args == nil {
		args = schema.Convert(call.Texts)
	}
	if err := schema.Validate(args); err != nil {
		return "", err
	}
	if t.Definition().Source == tool.SourceBuiltin && slices.Contains(sessionTools, call.Name) {
		return "", errors.New("it works within a conversation only; use aura run")
	}
	if t, err = b.confine(ctx, t, call.Restrict); err != nil {
		return "", fmt.Errorf("restricting it: %w", err)
	}
	return t.Execute(ctx, tool.Call{Args: args, Context: b.state(), Progress: call.Progress})
}

// state is what a plugin's tool is told of a conversation that there is not.
func (b *Toolbox) state() sdk.Context {
	var offered []string
	for _, t := range b.registry.List() {
		if d := t.Definition(); d.Name != donetool.Name && b.source.Filtered(b.role, b.features, d) == "" {
			offered = append(offered, d.Name)
		}
	}
	return sdk.Context{
		Agent: b.role.Agent.Name, Mode: b.role.Mode.Name, Workdir: b.source.Config.Workdir, AvailableTools: offered, Vars: b.opts.Vars,
		MCPServers: connected(b.servers), Features: sdk.FeatureState{Sandbox: b.confined.Enabled(), ReadBeforeWrite: b.features.Tools.ReadBefore.Write},
	}
}

// condition is under which a tool is offered: its own, or that of its server.
func (b *Toolbox) condition(d tool.Definition) condition.Expr {
	if c := b.source.Config.ToolDefinitions[d.Name].Condition; !c.IsZero() || d.Source != tool.SourceMCP {
		return c
	}
	return b.source.Config.MCPServers[d.Origin].Condition
}

// confine puts a tool behind its policy, narrowed for one call.
func (b *Toolbox) confine(ctx context.Context, t tool.Tool, r ToolRestriction) (tool.Tool, error) {
	if r.Empty() {
		return b.confined.Fence(t), nil
	}
	c, err := b.confined.Demanded(r)
	if err != nil {
		return nil, err
	}
	d := t.Definition()
	switch {
	case d.Source == tool.SourceMCP:
		return nil, fmt.Errorf("it runs in MCP server %q, which aura does not confine", d.Origin)
	case d.Source == tool.SourcePlugin && !sandboxable(t):
		return nil, fmt.Errorf("plugin %q says that it cannot work in a sandbox", d.Origin)
	case d.Source == tool.SourcePlugin:
		return b.confinePlugin(ctx, c, t, r)
	case !sandboxable(t):
		return t, nil // it touches no files
	default:
		return c.Restricted(t, b.options(), r)
	}
}

// confinePlugin starts the plugin once more, under the narrower policy from its first line on.
func (b *Toolbox) confinePlugin(ctx context.Context, c setup.Confinement, t tool.Tool, r ToolRestriction) (tool.Tool, error) {
	made, ok := tool.As[setup.PluginTool](t)
	if !ok {
		return nil, errors.New("it cannot be confined")
	}
	spec := made.Plugin.Spec()
	policy := c.RestrictedPlugin(b.plugins.Entries[made.Plugin.Name()], r)
	spec.Sandbox = &policy
	fleet, err := b.fleet(ctx, []host.Spec{spec}, host.Options{})
	if err != nil {
		return nil, err
	}
	p := fleet.Plugins()[0]
	if err := p.Ready(ctx); err != nil {
		return nil, err
	}
	return made.In(p, policy, b.source.Config.Workdir), nil
}

// ParseArguments reads the arguments of a call as people write them: one JSON object, or any number of key=value.
func ParseArguments(words []string, raw bool) (texts map[string]string, args map[string]any, err error) {
	if raw && len(words) != 1 {
		return nil, nil, errors.New("--raw takes one JSON object")
	}
	if len(words) == 1 && (raw || strings.HasPrefix(strings.TrimSpace(words[0]), "{")) {
		if args, err = tool.ParseArguments([]byte(words[0])); err != nil {
			return nil, nil, fmt.Errorf("reading the arguments: they are no JSON object: %w", err)
		}
		if args == nil {
			return nil, nil, errors.New("reading the arguments: null is no JSON object")
		}
		return nil, args, nil
	}
	texts = map[string]string{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, nil, fmt.Errorf("reading argument %q: write it as key=value, or all of them as one JSON object", word)
		}
		if _, twice := texts[key]; twice {
			return nil, nil, fmt.Errorf("reading argument %q: there are two of that name; write a list as %s='[...]'", word, key)
		}
		texts[key] = value
	}
	return texts, nil, nil
}
