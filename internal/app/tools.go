package app

import (
	"slices"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
)

// collect gathers the tools and commands that there are now. It is done again after a reload.
func (a *App) collect() error {
	env := withTask(a.cfg.Environ, a.taskEnv)
	all, err := tool.NewRegistry(append(builtin.All(builtin.Options{Workdir: a.cfg.Workdir, Env: env}), a.pluginTools()...)...)
	if err != nil {
		return err
	}
	a.tools, err = tool.NewRegistry(narrow(all.List(), a.layers())...)
	if err != nil {
		return err
	}
	a.cmds, err = command.NewSet(func(c command.Clash) { a.notice("", c.String()) }, append(a.builtinCommands(), a.pluginCommands()...)...)
	if err != nil {
		a.notice("", err.Error())
	}
	return nil
}

// layers are the filters in force, each narrowing the last.
func (a *App) layers() []config.ToolFilter {
	out := []config.ToolFilter{{Enabled: a.opts.IncludeTools, Disabled: a.opts.ExcludeTools}, a.agent.Tools}
	if a.opts.Task != nil {
		out = append(out, a.opts.Task.Tools)
	}
	return out
}

// narrow drops the tools that a layer leaves out, and opt-in tools that no layer names exactly.
func narrow(tools []tool.Tool, layers []config.ToolFilter) []tool.Tool {
	var out []tool.Tool
	for _, t := range tools {
		d := t.Definition()
		named := !d.OptIn
		kept := true
		for _, l := range layers {
			kept = kept && (len(l.Enabled) == 0 || tool.Match(l.Enabled, d.Name)) && !tool.Match(l.Disabled, d.Name)
			named = named || slices.Contains(l.Enabled, d.Name)
		}
		if kept && named {
			out = append(out, surfaced{t})
		}
	}
	return out
}

// surfaced is a tool that has passed the filters: if it was opt-in, someone has opted in.
type surfaced struct{ tool.Tool }

func (s surfaced) Definition() tool.Definition {
	d := s.Tool.Definition()
	d.OptIn = false
	return d
}
