package inspect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/settings/setup"
	"github.com/idelchi/aura/sdk"
)

// ToolCall is a tool call that the user makes.
type ToolCall struct {
	Name string
	// Texts holds arguments that the schema converts. Args holds arguments that are already JSON values. At most one of the two is
	// set.
	Texts map[string]string
	Args  map[string]any
	// Restrict narrows the sandbox for this call.
	Restrict ToolRestriction
	// Progress, if not nil, receives the output as it is produced.
	Progress func(text string)
}

// ToolRestriction narrows a tool's access to files.
type ToolRestriction = setup.Restriction

// sessionTools lists the tools that need a conversation.
var sessionTools = []string{donetool.Name, setup.DelegateName, setup.LoadName, setup.PlanName, background.OutputName, background.KillName}

// Run runs a tool, even one that no model is offered. If nothing ran, the error may be an *UnknownToolError or a
// *tool.ArgumentsError; otherwise it is the error of the tool. The text is the output of the tool in either case.
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
	return b.confined.Watched(t, false).Execute(ctx, tool.Call{Args: args, Context: b.state(), Progress: call.Progress})
}

// state returns the context for a plugin's tool that is called without a conversation.
func (b *Toolbox) state() sdk.Context {
	var offered []string
	for _, t := range b.registry.List() {
		if d := t.Definition(); d.Name != donetool.Name && !slices.Contains(background.Names(), d.Name) && b.source.Filtered(b.role, b.features, d) == "" {
			offered = append(offered, d.Name)
		}
	}
	return sdk.Context{
		Agent: b.role.Agent.Name, Mode: b.role.Mode.Name, Workdir: b.source.Config.Workdir, AvailableTools: offered, Vars: b.opts.Vars,
		MCPServers: b.servers.Connected(), Features: sdk.FeatureState{Sandbox: b.confined.Enabled(), ReadBeforeWrite: b.features.Tools.ReadBefore.Write},
	}
}

// condition returns the condition under which a tool is offered: its own, or that of its server.
func (b *Toolbox) condition(t tool.Tool) condition.Expr {
	d := t.Definition()
	if c := setup.ConditionOf(b.source.Config, t); !c.IsZero() || d.Source != tool.SourceMCP {
		return c
	}
	return b.source.Config.MCPServers[d.Origin].Condition
}

// confine confines a tool to its policy, narrowed for one call.
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
		return t, nil // the tool accesses no files
	default:
		return c.Restricted(t, b.options(), r)
	}
}

// confinePlugin starts another child of the plugin, which is confined to the narrower policy from the beginning.
func (b *Toolbox) confinePlugin(ctx context.Context, c setup.Confinement, t tool.Tool, r ToolRestriction) (tool.Tool, error) {
	made, ok := tool.As[setup.PluginTool](t)
	if !ok {
		return nil, errors.New("it cannot be confined")
	}
	spec := made.Plugin.Spec()
	policy := c.RestrictedPlugin(b.plugins.Entries[made.Plugin.Name()], r)
	spec.Sandbox = &policy
	fleet, err := b.fleet(ctx, []host.Spec{spec}, host.Fixed{})
	if err != nil {
		return nil, err
	}
	p := fleet.Plugins()[0]
	if err := p.Ready(ctx); err != nil {
		return nil, err
	}
	return made.In(p, policy, b.source.Config.Workdir), nil
}

// ParseArguments parses the arguments of a call as users write them: one JSON object, or any number of key=value.
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
