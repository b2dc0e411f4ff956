package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/prompt"
)

// run is what a slash command does: it takes the text behind its name and returns what is to be shown.
type run = func(ctx context.Context, args string) (string, error)

// builtinCommands are aura's own slash commands.
func (a *App) builtinCommands() []command.Command {
	var out []command.Command
	for _, group := range [][]command.Command{a.roleCommands(), a.sessionCommands(), a.listCommands(), a.flowCommands(), a.otherCommands()} {
		out = append(out, group...)
	}
	return out
}

// own is a command of aura's own whose arguments are described by hints.
func own(name, description string, do run, hints ...string) command.Command {
	return command.Command{
		Name: name, Description: description, Hints: hints,
		Run: func(ctx context.Context, args string) (command.Result, error) {
			text, err := do(ctx, args)
			return command.Result{Output: text}, err
		},
	}
}

func (a *App) otherCommands() []command.Command {
	return []command.Command{
		own("reload", "Read configuration and plugins again", func(ctx context.Context, _ string) (string, error) { return a.Reload(ctx) }),
		own("set", "Set a variable for the templates of prompts, or list them", a.cmdSet, "KEY=VALUE"),
		own("verbose", "Show the model's thinking, or stop it", a.cmdVerbose, "on|off"),
		own("help", "List the commands, or describe one", a.cmdHelp, "command"),
		{Name: "exit", Description: "Leave", Run: func(context.Context, string) (command.Result, error) { return command.Result{Exit: true}, nil }},
	}
}

// customCommands are those that users wrote in Markdown. What they say goes to the model.
func (a *App) customCommands() []command.Command {
	var out []command.Command
	for _, c := range a.cfg.Commands {
		out = append(out, command.Command{
			Name: c.Name, Description: c.Description, Hints: c.Hints, Source: command.SourceMarkdown, Origin: c.Source.File,
			Run: func(_ context.Context, args string) (command.Result, error) {
				return command.Result{Output: prompt.Expand(c.Body, args), Forward: true}, nil
			},
		})
	}
	slices.SortFunc(out, func(a, b command.Command) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// collectCommands gathers the commands that there are now. Of two with one name the user is told once.
func (a *App) collectCommands() {
	tell := func(c command.Clash) {
		if text := c.String(); !a.clashes[text] {
			a.clashes[text] = true
			a.notice("", text)
		}
	}
	set, err := command.NewSet(tell, slices.Concat(a.builtinCommands(), a.customCommands(), a.pluginCommands())...)
	a.cmds = set
	if err != nil {
		a.notice("", err.Error())
	}
}

func (a *App) cmdHelp(_ context.Context, args string) (string, error) {
	wanted := strings.TrimPrefix(strings.TrimSpace(args), "/")
	var b strings.Builder
	for _, c := range a.cmds.List() {
		if wanted != "" && c.Name != wanted {
			continue
		}
		name := "/" + c.Name
		if len(c.Hints) > 0 {
			name += " <" + strings.Join(c.Hints, "> <") + ">"
		}
		fmt.Fprintf(&b, "%-34s %s\n", name, strings.Join(strings.Fields(c.Description), " "))
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("looking for command /%s: there is none; /help lists them", wanted)
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

func (a *App) cmdSet(ctx context.Context, args string) (string, error) {
	if strings.TrimSpace(args) == "" {
		return listed(a.vars, "no variables are set"), nil
	}
	key, value, ok := strings.Cut(args, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return "", errors.New("setting a variable: write it as /set KEY=VALUE")
	}
	a.vars[key] = strings.TrimSpace(value)
	a.refresh()
	return fmt.Sprintf("%s is %q", key, a.vars[key]), a.renew(ctx)
}

// renew renders the prompts of the role anew.
func (a *App) renew(ctx context.Context) error {
	p, err := a.persona(ctx, a.inLine(a.role))
	if err != nil {
		return err
	}
	return a.talk.Renew(ctx, p)
}

func (a *App) cmdVerbose(_ context.Context, args string) (string, error) {
	on, err := toggled(a.verbose, args)
	if err != nil {
		return "", err
	}
	a.verbose = on
	if a.opts.Verbose != nil {
		a.opts.Verbose(on)
	}
	a.refresh()
	return "thinking is " + map[bool]string{true: "shown", false: "not shown"}[on], nil
}

// toggled reads on or off; nothing turns what is.
func toggled(now bool, args string) (bool, error) {
	switch word := strings.ToLower(strings.TrimSpace(args)); word {
	case "":
		return !now, nil
	case "on", "true":
		return true, nil
	case "off", "false":
		return false, nil
	default:
		return now, fmt.Errorf("reading %q: say on or off, or nothing to change it", word)
	}
}
