package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/sandbox"
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

// ToolRestriction narrows what a tool may do to files. Paths may be relative to the working directory and begin with ~.
type ToolRestriction struct {
	// ReadOnly leaves nothing writable but ReadWritePaths.
	ReadOnly bool
	// ReadOnlyPaths can be read, and not be written wherever they lie.
	ReadOnlyPaths []string
	// ReadWritePaths, if there are any, are all that can be written.
	ReadWritePaths []string
}

func (r ToolRestriction) empty() bool {
	return !r.ReadOnly && len(r.ReadOnlyPaths) == 0 && len(r.ReadWritePaths) == 0
}

// sessionTools work on a conversation.
var sessionTools = []string{done.Name, taskName, loadName}

// Run runs a tool, also one that no model is offered. Its error is an *UnknownToolError or a *tool.ArgumentsError if nothing
// ran, and what the tool says otherwise; the text is what the tool printed in either case.
func (b *Toolbox) Run(ctx context.Context, call ToolCall) (string, error) {
	t, err := b.find(call.Name)
	if err != nil {
		return "", err
	}
	if d := t.Definition(); b.isAway(d) {
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
	a := b.app
	var offered []string
	for _, t := range b.registry.List() {
		if d := t.Definition(); d.Name != done.Name && a.filtered(d) == "" {
			offered = append(offered, d.Name)
		}
	}
	return sdk.Context{
		Agent: a.role.agent.Name, Mode: a.role.mode.Name, Workdir: a.cfg.Workdir, AvailableTools: offered, Vars: a.opts.Vars,
		MCPServers: a.connected(), Features: sdk.FeatureState{Sandbox: b.cell.enabled, ReadBeforeWrite: a.features.Tools.ReadBefore.Write},
	}
}

// condition is under which a tool is offered: its own, or that of its server.
func (b *Toolbox) condition(d tool.Definition) condition.Expr {
	if c := b.app.cfg.ToolDefinitions[d.Name].Condition; !c.IsZero() || d.Source != tool.SourceMCP {
		return c
	}
	return b.app.cfg.MCPServers[d.Origin].Condition
}

// confine puts a tool behind its policy, narrowed for one call.
func (b *Toolbox) confine(ctx context.Context, t tool.Tool, r ToolRestriction) (tool.Tool, error) {
	if r.empty() {
		return b.cell.fence(t), nil
	}
	c := b.cell
	for _, path := range absolutePaths(c.place, slices.Concat(r.ReadOnlyPaths, r.ReadWritePaths)) {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("%w; make it first, for what does not exist cannot be granted", err)
		}
	}
	if !c.enabled {
		if support := sandbox.Support(); !support.Enabled {
			return nil, fmt.Errorf("this system cannot enforce it: %s; leave out --ro, --ro-paths and --rw-paths to run it unconfined", support.Reason())
		}
		c.enabled = true // by the user's wish
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
	}
	made, ok := tool.As[confined](t)
	if !ok {
		for _, other := range c.builtins(b.options(), nil) {
			if other.Definition().Name == d.Name {
				made, ok = tool.As[confined](other)
			}
		}
	}
	if !ok {
		return nil, errors.New("it cannot be confined")
	}
	made.policy = r.narrow(made.policy, c.place)
	return fenced{Tool: made, policy: made.policy, workdir: c.place.Workdir}, nil
}

// confinePlugin starts the plugin once more, under the narrower policy from its first line on.
func (b *Toolbox) confinePlugin(ctx context.Context, c cell, t tool.Tool, r ToolRestriction) (tool.Tool, error) {
	made, ok := tool.As[pluginTool](t)
	if !ok {
		return nil, errors.New("it cannot be confined")
	}
	spec := made.plugin.Spec()
	policy := r.narrow(*c.plugin(b.app.entries[made.plugin.Name()]), c.place)
	spec.Sandbox = &policy
	fleet, err := b.fleet(ctx, []host.Spec{spec}, host.Options{})
	if err != nil {
		return nil, err
	}
	made.plugin, made.policy, made.apart = fleet.Plugins()[0], policy, nil
	if err := made.plugin.Ready(ctx); err != nil {
		return nil, err
	}
	return fenced{Tool: made, policy: policy, workdir: c.place.Workdir}, nil
}

// narrow is a policy under which less can be written. What could be written before can still be read.
func (r ToolRestriction) narrow(p sandbox.Policy, at sandbox.Place) sandbox.Policy {
	p.ReadOnly, p.Protected = slices.Clone(p.ReadOnly), slices.Clone(p.Protected)
	if r.ReadOnly || len(r.ReadWritePaths) > 0 {
		p.ReadOnly = append(p.ReadOnly, p.ReadWrite...)
		p.ReadWrite = absolutePaths(at, r.ReadWritePaths)
	}
	only := absolutePaths(at, r.ReadOnlyPaths)
	p.ReadOnly, p.Protected = append(p.ReadOnly, only...), append(p.Protected, only...)
	return p
}

// absolutePaths are paths as the user wrote them, made absolute.
func absolutePaths(at sandbox.Place, paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		rest, home := strings.CutPrefix(path, "~")
		switch {
		case home && at.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])):
			path = filepath.Join(at.Home, rest)
		case !filepath.IsAbs(path):
			path = filepath.Join(at.Workdir, path)
		}
		out = append(out, filepath.Clean(path))
	}
	return out
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
