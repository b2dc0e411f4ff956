package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/command"
	"github.com/idelchi/aura/internal/hookpoint"
	"github.com/idelchi/aura/internal/policy"
)

// listCommands show what there is.
func (a *App) listCommands() []command.Command {
	return []command.Command{
		own("plugins", "List the plugins' hooks by the moment at which they run", a.cmdPlugins),
		own("hooks", "List the shell hooks in the order in which they run", a.cmdHooks),
		own("tools", "List the tools that the model is offered", a.cmdTools),
		own("skills", "List the skills", a.cmdSkills),
		own("mcp", "List the MCP servers, or connect to one", a.cmdMCP, "SERVER"),
		own("policy", "List the rules for tool calls", a.cmdPolicy),
		own("sandbox", "Say what the tools and plugins are confined to", a.cmdSandbox),
		own("todo", "Show the list of todos, or empty it", a.cmdTodo, "clear"),
		own("ctx", "Say how full the model's context is", a.cmdCtx),
		own("stats", "Show what has been counted", a.cmdStats),
		own("info", "Say who answers, where, and in which session", a.cmdInfo),
	}
}

// cmdPlugins lists every hook of every plugin under its moment.
func (a *App) cmdPlugins(context.Context, string) (string, error) {
	var sections []string
	for _, point := range hookpoint.All() {
		var lines []string
		present := a.pluginsAt(point.Name)
		width := 0
		for _, p := range present {
			width = max(width, len(hookName(p, point.Name)))
		}
		for _, p := range present {
			lines = append(lines, hookLine(p, point.Name, width))
		}
		if len(lines) > 0 {
			sections = append(sections, fmt.Sprintf("%s:\n%s", point.Name, strings.Join(lines, "\n")))
		}
	}
	if len(sections) == 0 {
		return "no plugin hooks are loaded", nil
	}
	return strings.Join(sections, "\n\n"), nil
}

// pluginsAt are the plugins that have a hook at a point.
func (a *App) pluginsAt(point hookpoint.Name) []*host.Plugin {
	return slices.DeleteFunc(slices.Clone(a.plugins()), func(p *host.Plugin) bool {
		exports, _ := p.Exports()
		return !slices.Contains(exports.Hooks, point)
	})
}

func hookName(p *host.Plugin, point hookpoint.Name) string { return p.Name() + "/" + string(point) }

// hookLine is one hook of one plugin with what decides whether it runs. Two spaces stand between columns, one between what
// the last column holds.
func hookLine(p *host.Plugin, point hookpoint.Name, width int) string {
	m := p.Spec().Manifest
	state := "enabled"
	if p.Down() != nil {
		state = "down"
	}
	var extra []string
	if !m.Condition.IsZero() {
		extra = append(extra, fmt.Sprintf("condition=%q", m.Condition.String()))
	}
	if m.Once {
		extra = append(extra, "once=true")
		if p.Fired(point) {
			extra = append(extra, "(fired)")
		}
	}
	return strings.TrimRight(fmt.Sprintf("  %-*s  %s  %s", width, hookName(p, point), state, strings.Join(extra, " ")), " ")
}

func (a *App) cmdTools(context.Context, string) (string, error) {
	offered := a.talk.Context().AvailableTools
	rows := map[string]string{}
	for _, d := range a.talk.Persona().Tools.Offered() {
		text := string(d.Source)
		if d.Origin != "" {
			text += " " + d.Origin
		}
		if d.Parallel {
			text += ", parallel"
		}
		if !slices.Contains(offered, d.Name) {
			text += ", not offered at the moment"
		}
		rows[d.Name] = text
	}
	return listed(rows, "the model has no tools"), nil
}

func (a *App) cmdSkills(context.Context, string) (string, error) {
	rows := map[string]string{}
	for name, s := range a.cfg.Skills {
		rows[name] = s.Description
	}
	return listed(rows, "no skills are configured"), nil
}

func (a *App) cmdPolicy(context.Context, string) (string, error) {
	p, err := policy.New(a.policies(a.role, a.features)...)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, r := range p.Rules() {
		fmt.Fprintf(&b, "%-8s %s\n", r.Action, r.Rule)
	}
	b.WriteString("what no rule names runs without asking")
	if a.opts.Confirm == nil {
		b.WriteString("; there is no terminal, so confirm means deny")
	}
	return b.String(), nil
}

func (a *App) cmdTodo(_ context.Context, args string) (string, error) {
	switch word := strings.TrimSpace(args); word {
	case "":
		return a.todos.String(), nil
	case "clear":
		err := a.todos.Set(nil)
		a.journal.keepTodos()
		return "the list of todos is empty now", err
	default:
		return "", fmt.Errorf("reading %q: /todo takes nothing, or clear", word)
	}
}

func (a *App) cmdCtx(context.Context, string) (string, error) {
	c := a.talk.Context()
	if c.Tokens.Max == 0 {
		return fmt.Sprintf("%d tokens (estimated) in %d messages; the size of the model's context is not known", c.Tokens.Estimate, c.MessageCount), nil
	}
	return fmt.Sprintf("%d of %d tokens (%.1f%%, estimated) in %d messages", c.Tokens.Estimate, c.Tokens.Max, c.Tokens.Percent, c.MessageCount), nil
}

func (a *App) cmdStats(context.Context, string) (string, error) {
	s := a.talk.Stats()
	rows := map[string]string{
		"interactions": fmt.Sprint(s.Interactions), "turns": fmt.Sprint(s.Turns), "iterations": fmt.Sprint(s.Iterations),
		"tool calls": fmt.Sprint(s.ToolCalls), "tool errors": fmt.Sprint(s.ToolErrors), "parse retries": fmt.Sprint(s.ParseRetries),
		"compactions": fmt.Sprint(s.Compactions), "tokens in": fmt.Sprint(s.TokensIn), "tokens out": fmt.Sprint(s.TokensOut),
		"duration": s.Duration.Round(time.Second).String(),
	}
	for _, t := range s.TopTools {
		rows["tool "+t.Name] = fmt.Sprint(t.Count)
	}
	return listed(rows, ""), nil
}

func (a *App) cmdInfo(context.Context, string) (string, error) {
	c := a.talk.Context()
	rows := map[string]string{
		"answers": a.described(), "session": a.title(), "saved in": a.journal.Path(), "working directory": a.cfg.Workdir,
		"thinking": c.ThinkMode, "auto mode": onOff(c.Auto), "done mode": onOff(c.DoneActive),
		"tools": fmt.Sprint(len(c.AvailableTools)), "plugins": fmt.Sprint(len(a.plugins())),
	}
	return listed(rows, ""), nil
}
