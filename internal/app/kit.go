package app

import (
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/idelchi/aura/hooks"
	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/seen"
	"github.com/idelchi/aura/internal/skill"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
	"github.com/idelchi/aura/sdk"
)

// kit is the tools of a role, and the hooks around them.
type kit struct {
	hooks hooks.Runner
	tools *tool.Registry
	// names are those of the tools that the model is offered at once, deferred those of the tools it can ask for.
	names, deferred []string
	// conditions say when tools are offered, by their names. Those without one always are.
	conditions map[string]condition.Expr
}

// kit gathers the tools that a role has.
func (a *App) kit(r role, f config.Features) (kit, error) {
	k := kit{conditions: a.serverConditions(), deferred: a.deferred()}
	var all []tool.Tool
	c := a.cell(f).prepared()
	for _, t := range a.everyTool(f) {
		d, ok := a.cfg.ToolDefinitions[t.Definition().Name]
		if ok && d.Disabled {
			continue
		}
		if ok && !d.Condition.IsZero() {
			k.conditions[d.Name] = d.Condition
		}
		guarded := seen.Guarded(t, a.seen, seen.Rules(f.Tools.ReadBefore))
		all = append(all, redefined(c.fence(guarded), d))
	}
	known, err := tool.NewRegistry(all...)
	if err != nil {
		return k, err
	}
	for _, t := range narrow(known.List(), a.layers(r, f), f.Tools.OptIn) {
		k.names = append(k.names, t.Definition().Name)
		all = append(all, t)
	}
	k.tools, err = tool.NewRegistry(all[len(all)-len(k.names):]...)
	k.names = slices.DeleteFunc(k.names, func(name string) bool { return name == done.Name })
	return k, err
}

// everyTool is all there is, whoever may use it.
func (a *App) everyTool(f config.Features) []tool.Tool {
	c := a.cell(f)
	all := c.builtins(builtin.Options{
		Workdir: a.cfg.Workdir, Env: withTask(a.cfg.Environ, a.taskEnv), BashTimeout: f.Tools.Bash.Timeout.Duration(),
		Truncation: builtin.Truncation(f.Tools.Bash.Truncation).Within(f.Tools.Result.MaxTokens), OutputDir: a.outputDir(),
	}, a.taskEnv)
	all = append(append(all, a.todos.Tools()...), done.Tool())
	if len(a.cfg.Skills) > 0 {
		all = append(all, skill.Tool(a.skills()))
	}
	if agents := a.subagents(); len(agents) > 0 {
		all = append(all, taskTool{app: a, agents: agents})
	}
	if waiting := a.deferred(); len(waiting) > 0 {
		all = append(all, loadTool{app: a, servers: waiting})
	}
	return slices.Concat(all, a.pluginTools(c), a.mcpTools())
}

func (a *App) skills() []skill.Skill {
	var out []skill.Skill
	for _, name := range slices.Sorted(maps.Keys(a.cfg.Skills)) {
		s := a.cfg.Skills[name]
		out = append(out, skill.Skill{Name: name, Description: s.Description, Body: s.Body, Dir: s.Dir()})
	}
	return out
}

// redefined is a tool as the configuration describes it.
func redefined(t tool.Tool, d config.ToolDefinition) tool.Tool {
	given := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	change := tool.Redefinition{
		Description: given(d.Description), Usage: given(d.Usage), Examples: given(string(d.Examples)), Parallel: d.Parallel,
	}
	if d.Override {
		change.Override = &d.Override
	}
	return tool.Redefine(t, change)
}

// layers are the filters in force, each narrowing the last. What the command line includes goes before what the
// configuration does; what either excludes is excluded.
func (a *App) layers(r role, f config.Features) []config.ToolFilter {
	global := config.ToolFilter{Enabled: f.Tools.Enabled, Disabled: slices.Concat(f.Tools.Disabled, a.opts.ExcludeTools)}
	if len(a.opts.IncludeTools) > 0 {
		global.Enabled = a.opts.IncludeTools
	}
	out := []config.ToolFilter{global, r.agent.Tools, r.mode.Tools, r.within.Tools}
	if a.opts.Task != nil {
		out = append(out, a.opts.Task.Tools)
	}
	return out
}

// narrow drops the tools that a layer leaves out, and opt-in tools that no layer names exactly. Done is not chosen but
// turned on and off.
func narrow(tools []tool.Tool, layers []config.ToolFilter, optIn []string) []tool.Tool {
	var out []tool.Tool
	for _, t := range tools {
		d := t.Definition()
		named := !d.OptIn && !tool.Match(optIn, d.Name)
		kept := true
		for _, l := range layers {
			kept = kept && (len(l.Enabled) == 0 || tool.Match(l.Enabled, d.Name)) && !tool.Match(l.Disabled, d.Name)
			named = named || slices.Contains(l.Enabled, d.Name)
		}
		if kept && named || d.Name == done.Name {
			d.OptIn = false // someone has opted in
			out = append(out, tool.WithDefinition(t, d))
		}
	}
	return out
}

// outputDir is where tools keep what is too long for the model, a directory for each session. A session that is not saved leaves
// it to the system's place for such files.
func (a *App) outputDir() string {
	if a.journal.ID() == "" {
		return ""
	}
	return filepath.Join(a.cfg.State.Output(), a.journal.ID())
}

// withhold leaves out the tools whose condition does not hold at the moment. One that cannot be evaluated is told and does
// not hold.
func (a *App) withhold(conditions map[string]condition.Expr) func(context.Context, sdk.Context) []string {
	if len(conditions) == 0 {
		return nil
	}
	return func(ctx context.Context, state sdk.Context) []string {
		var out []string
		for _, name := range slices.Sorted(maps.Keys(conditions)) {
			holds, err := a.holds(ctx, conditions[name], state)
			if err != nil && ctx.Err() == nil {
				a.notice("", "tool "+name+" is not offered: "+err.Error())
			}
			if !holds {
				out = append(out, name)
			}
		}
		return out
	}
}
