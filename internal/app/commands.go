package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/hookpoint"
)

// builtinCommands are aura's own slash commands.
func (a *App) builtinCommands() []command.Command {
	return []command.Command{
		{Name: "plugins", Description: "List the plugins' hooks by the moment at which they run", Run: a.cmdPlugins},
		{Name: "reload", Description: "Read configuration and plugins again", Run: a.cmdReload},
		{Name: "help", Description: "List the commands", Run: a.cmdHelp},
		{Name: "exit", Description: "Leave", Run: func(context.Context, string) (command.Result, error) { return command.Result{Exit: true}, nil }},
	}
}

func (a *App) cmdReload(ctx context.Context, _ string) (command.Result, error) {
	text, err := a.Reload(ctx)
	return command.Result{Output: text}, err
}

func (a *App) cmdHelp(context.Context, string) (command.Result, error) {
	var b strings.Builder
	for _, c := range a.cmds.List() {
		name := "/" + c.Name
		if len(c.Hints) > 0 {
			name += " <" + strings.Join(c.Hints, "> <") + ">"
		}
		fmt.Fprintf(&b, "%-24s %s\n", name, c.Description)
	}
	return command.Result{Output: strings.TrimRight(b.String(), "\n")}, nil
}

// cmdPlugins lists every hook of every plugin under its moment.
func (a *App) cmdPlugins(context.Context, string) (command.Result, error) {
	var sections []string
	for _, point := range hookpoint.All() {
		var lines []string
		for _, p := range a.plugins() {
			if exports, _ := p.Exports(); slices.Contains(exports.Hooks, point.Name) {
				lines = append(lines, hookLine(p, point.Name))
			}
		}
		if len(lines) > 0 {
			sections = append(sections, fmt.Sprintf("%s:\n%s", point.Name, strings.Join(lines, "\n")))
		}
	}
	if len(sections) == 0 {
		return command.Result{Output: "no plugin hooks are loaded"}, nil
	}
	return command.Result{Output: strings.Join(sections, "\n\n")}, nil
}

// hookLine is one hook of one plugin with what decides whether it runs.
func hookLine(p *host.Plugin, point hookpoint.Name) string {
	m := p.Spec().Manifest
	state := "enabled"
	if p.Down() != nil {
		state = "down"
	}
	line := fmt.Sprintf("  %-44s %s", p.Name()+"/"+string(point), state)
	if !m.Condition.IsZero() {
		line += fmt.Sprintf("  condition=%q", m.Condition.String())
	}
	if m.Once {
		line += " once=true"
		if p.Fired(point) {
			line += " (fired)"
		}
	}
	return line
}
