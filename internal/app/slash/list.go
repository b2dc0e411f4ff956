package slash

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/settings/setup"
)

// listCommands returns the commands that list or show the state of the session.
func (c *commands) listCommands() []command.Command {
	return []command.Command{
		own("plugins", "List the plugins' hooks by hook point and their health, or describe one plugin", c.plugins, "NAME"),
		own("hooks", "List the shell hooks in the order in which they run", c.hooks),
		own("tools", "List the tools offered to the model", c.tools),
		own("skills", "List the skills", c.skills),
		own("mcp", "List the MCP servers, or connect to one", c.mcp, "SERVER"),
		own("policy", "List the rules for tool calls and what you approved, or remove an approval", c.policy, "remove N"),
		own("sandbox", "Show the sandbox policy of tools and plugins", c.sandbox),
		own("todo", "Show the list of todos, or clear it", c.todo, "clear"),
		own("ctx", "Show how full the model's context is, and what fills it", c.ctx),
		own("stats", "Show the counts and the cost of the session", c.stats),
		own("info", "Show the agent, the working directory and the session", c.info),
	}
}

func (c *commands) tools(context.Context, string) (string, error) {
	offered := c.State().AvailableTools
	rows := map[string]string{}
	for _, d := range c.Persona().Tools.Offered() {
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

func (c *commands) skills(context.Context, string) (string, error) {
	rows := map[string]string{}
	for name, s := range c.Setup().Config.Skills {
		rows[name] = s.Description
	}
	return listed(rows, "no skills are configured"), nil
}

func (c *commands) todo(_ context.Context, args string) (string, error) {
	switch word := strings.TrimSpace(args); word {
	case "":
		return c.Todos().String(), nil
	case "clear":
		return "the list of todos is empty now", c.ClearTodos()
	default:
		return "", fmt.Errorf("reading %q: /todo takes nothing, or clear", word)
	}
}

func (c *commands) stats(context.Context, string) (string, error) {
	s := c.Stats()
	rows := map[string]string{
		"interactions": fmt.Sprint(s.Interactions), "turns": fmt.Sprint(s.Turns), "iterations": fmt.Sprint(s.Iterations),
		"tool calls": fmt.Sprint(s.ToolCalls), "tool errors": fmt.Sprint(s.ToolErrors), "parse retries": fmt.Sprint(s.ParseRetries),
		"compactions": fmt.Sprint(s.Compactions), "tokens in": fmt.Sprint(s.TokensIn), "tokens out": fmt.Sprint(s.TokensOut),
		"duration": s.Duration.Round(time.Second).String(),
	}
	for _, t := range s.TopTools {
		rows["tool "+t.Name] = fmt.Sprint(t.Count)
	}
	models := c.Models()
	for _, m := range models {
		used := fmt.Sprintf("%d tokens in, %d out", m.TokensIn, m.TokensOut)
		if m.CostUSD != nil {
			used += ", " + dollars(*m.CostUSD)
		}
		rows["model "+m.Model+" of "+m.Provider] = used
	}
	if total := conversation.TotalCost(s, models); total != nil {
		rows["cost"] = dollars(*total)
	}
	return listed(rows, ""), nil
}

// dollars formats an amount with all its decimals.
func dollars(amount float64) string { return "$" + strconv.FormatFloat(amount, 'f', -1, 64) }

func (c *commands) info(context.Context, string) (string, error) {
	now, saved := c.State(), c.Saved()
	rows := map[string]string{
		"answers": c.described(), "session": saved.Title, "saved in": saved.Path, "working directory": c.Setup().Config.Workdir,
		"thinking": now.ThinkMode, "auto mode": onOff(now.Auto), "done mode": onOff(now.DoneActive),
		"tools": fmt.Sprint(len(now.AvailableTools)), "plugins": fmt.Sprint(len(c.Plugins())),
	}
	if files := c.Setup().InstructionFiles(); len(files) > 0 {
		rows["instructions"] = strings.Join(files, ", ")
	}
	return listed(rows, ""), nil
}

func (c *commands) sandbox(context.Context, string) (string, error) {
	return c.Setup().Sandbox().Describe(), nil
}

// mcp lists the MCP servers, or connects to one.
func (c *commands) mcp(ctx context.Context, args string) (string, error) {
	if name := strings.TrimSpace(args); name != "" {
		if err := c.Connect(ctx, name); err != nil {
			return "", err
		}
	}
	rows := map[string]string{}
	for _, s := range c.Servers() {
		text := string(s.State)
		if s.Error != "" {
			text += ": " + s.Error
		}
		if len(s.Tools) > 0 {
			text += "; " + strings.Join(s.Tools, ", ")
		}
		rows[s.Name] = text
	}
	return listed(rows, "no MCP servers are configured"), nil
}

// hooks lists the shell hooks and whether they are active.
func (c *commands) hooks(context.Context, string) (string, error) {
	var b strings.Builder
	for _, h := range setup.ListHooks(c.Setup().Config, c.Setup().Hooks()) {
		state := fmt.Sprintf("%d. %s", h.Order, h.Event)
		if !h.Active {
			state = "off: " + h.Reason
		}
		fmt.Fprintf(&b, "%-24s %s", h.Name, state)
		if h.Active && h.Matcher != "" {
			fmt.Fprintf(&b, "  matcher=%s", h.Matcher)
		}
		if h.Active && h.Files != "" {
			fmt.Fprintf(&b, "  files=%s", h.Files)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "no shell hooks are configured", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}
