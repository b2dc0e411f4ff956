package app

import (
	"context"
	"fmt"
	"strings"

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
		for _, h := range c.Hints {
			name += " <" + h + ">"
		}
		fmt.Fprintf(&b, "%-24s %s\n", name, c.Description)
	}
	return command.Result{Output: strings.TrimRight(b.String(), "\n")}, nil
}

// cmdPlugins lists every hook of every plugin under its moment.
func (a *App) cmdPlugins(context.Context, string) (command.Result, error) {
	var b strings.Builder
	for _, point := range hookpoint.All() {
		var lines []string
		for _, p := range a.plugins() {
			exports, _ := p.Exports()
			for _, h := range exports.Hooks {
				if h != point.Name {
					continue
				}
				m := p.Spec().Manifest
				line := fmt.Sprintf("  %-44s %s", p.Name()+"/"+string(h), a.hookState(p.Down()))
				if !m.Condition.IsZero() {
					line += fmt.Sprintf("  condition=%q", m.Condition.String())
				}
				if m.Once {
					line += "  once=true"
					if p.Fired(h) {
						line += " (fired)"
					}
				}
				lines = append(lines, line)
			}
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "%s:\n%s\n\n", point.Name, strings.Join(lines, "\n"))
		}
	}
	if b.Len() == 0 {
		return command.Result{Output: "no plugin hooks are loaded"}, nil
	}
	return command.Result{Output: strings.TrimRight(b.String(), "\n")}, nil
}

func (a *App) hookState(down error) string {
	if down != nil {
		return "down"
	}
	return "enabled"
}
