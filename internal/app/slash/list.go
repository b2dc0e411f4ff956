package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/base/plaintext"
	"github.com/idelchi/aura/internal/settings/setup"
)

type currentCommands struct{ Current }

// CurrentCommands returns the commands that list what the current setup has.
func CurrentCommands(s Current) []command.Command {
	c := currentCommands{s}
	return []command.Command{
		own("hooks", "List the shell hooks in the order in which they run", c.hooks),
		own("tools", "List the tools offered to the model", c.tools),
		own("skills", "List the skills", c.skills),
		own("policy", "List the rules for tool calls and what you approved or refused, or remove one of the latter", c.policy, "remove N"),
		own("sandbox", "Show the sandbox policy of tools and plugins", c.sandbox),
	}
}

func (c currentCommands) tools(context.Context, string) (string, error) {
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

func (c currentCommands) skills(context.Context, string) (string, error) {
	rows := map[string]string{}
	for name, s := range c.Setup().Config.Skills {
		rows[name] = s.Description
	}
	return listed(rows, "no skills are configured"), nil
}

func (c currentCommands) sandbox(context.Context, string) (string, error) {
	lines := []string{c.Setup().Sandbox().Describe() + c.beyond()}
	for _, r := range c.Setup().Config.Machine.Rules() {
		if strings.HasPrefix(r.Key, "sandbox.") {
			lines = append(lines, "policy of this machine: "+plaintext.OneLine(r.String()))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// hooks lists the shell hooks and whether they are active.
func (c currentCommands) hooks(context.Context, string) (string, error) {
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
		if h.Active && len(h.Calls) > 0 {
			fmt.Fprintf(&b, "  calls=%s", strings.Join(h.Calls, ","))
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "no shell hooks are configured", nil
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// TodoLists is a session with a list of todos.
type TodoLists interface {
	Todos() *todo.List
	ClearTodos() error
}

type todoCommands struct{ TodoLists }

// TodoCommands returns the command about the list of todos.
func TodoCommands(s TodoLists) []command.Command {
	return []command.Command{own("todo", "Show the list of todos, or clear it", todoCommands{s}.todo, "clear")}
}

func (c todoCommands) todo(_ context.Context, args string) (string, error) {
	switch word := strings.TrimSpace(args); word {
	case "":
		return c.Todos().String(), nil
	case "clear":
		return "the list of todos is empty now", c.ClearTodos()
	default:
		return "", fmt.Errorf("reading %q: /todo takes nothing, or clear", word)
	}
}

// Connector is a session with MCP servers.
type Connector interface {
	Servers() []mcp.Status
	// Connect connects to a deferred server.
	Connect(ctx context.Context, server string) error
	// Login logs in to a server and connects to it. If address is not empty, it completes a login that waits for the address at which the
	// browser ended. Logout forgets the login.
	Login(ctx context.Context, server, address string) error
	Logout(ctx context.Context, server string) error
}

type serverCommands struct{ Connector }

// ServerCommands returns the command about MCP servers.
func ServerCommands(s Connector) []command.Command {
	return []command.Command{own("mcp", "List the MCP servers, connect to one, or log in or out", serverCommands{s}.mcp, "[login|logout] SERVER [ADDRESS]")}
}

// mcp lists the MCP servers, or connects to one.
func (c serverCommands) mcp(ctx context.Context, args string) (string, error) {
	do, words := c.Connect, strings.Fields(args)
	if len(words) > 1 {
		address := ""
		if len(words) == 3 && words[0] == "login" {
			words, address = words[:2], words[2]
		}
		verbs := map[string]func(context.Context, string) error{
			"login": func(ctx context.Context, server string) error { return c.Login(ctx, server, address) }, "logout": c.Logout,
		}
		if do = verbs[words[0]]; do == nil || len(words) > 2 {
			return "", fmt.Errorf("reading %q: /mcp takes nothing, SERVER, login SERVER [ADDRESS] or logout SERVER", args)
		}
		words = words[1:]
	}
	if len(words) == 1 {
		if err := do(ctx, words[0]); err != nil {
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

// Overview is what /info shows of a session.
type Overview interface {
	Current
	Saved() Saved
	Plugins() []*host.Plugin
}

type infoCommands struct{ Overview }

// InfoCommands returns the command that describes the session.
func InfoCommands(s Overview) []command.Command {
	return []command.Command{own("info", "Show the agent, the working directory and the session", infoCommands{s}.info)}
}

func (c infoCommands) info(context.Context, string) (string, error) {
	now, saved := c.State(), c.Saved()
	rows := map[string]string{
		"answers": described(c), "session": saved.Title, "saved in": saved.Path, "working directory": c.Setup().Config.Workdir,
		"thinking": now.ThinkMode, "auto mode": plaintext.OnOff(now.Auto), "done mode": plaintext.OnOff(now.DoneActive),
		"tools": fmt.Sprint(len(now.AvailableTools)), "plugins": fmt.Sprint(len(c.Plugins())),
	}
	if files := c.Setup().InstructionFiles(); len(files) > 0 {
		rows["instructions"] = strings.Join(files, ", ")
	}
	return listed(rows, ""), nil
}
