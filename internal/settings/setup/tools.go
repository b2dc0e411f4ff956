package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/agent/background"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/readguard"
	"github.com/idelchi/aura/internal/agent/skill"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/agent/tool/builtin"
	"github.com/idelchi/aura/internal/agent/web"
	"github.com/idelchi/aura/internal/base/condition"
	"github.com/idelchi/aura/internal/plugin/pipeline"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/sdk"
)

// Live holds the running parts of a session that tools and prompts depend on.
type Live struct {
	Plugins []host.View
	// Entries holds the catalog entries of the same plugins, by name.
	Entries map[string]Entry
	// Servers holds the MCP servers; nil for none.
	Servers *mcp.Set
	Todos   *todo.List
	// Background holds the commands that run beside the conversation; nil if it starts none.
	Background *background.Set
	// Pages keeps fetched pages; nil keeps none.
	Pages *web.Pages
	Seen  *readguard.Files
	// Changing is called before each call that may change files; nil for nobody.
	Changing Announce
	// Delegate delegates work to another agent. Load loads the tools of a deferred server. Both return the text for the model.
	Delegate func(ctx context.Context, agent config.Agent, prompt string, step func(text string)) (string, error)
	// Subagents is how many subagents may work at the same time.
	Subagents int
	Load      func(ctx context.Context, server string) (string, error)
	// Accept gives a plan to the user and returns the text for the model; nil if nobody can be asked.
	Accept func(ctx context.Context, plan string) (string, error)
	// Under returns plugins as the settings of a fallback agent select and configure them, and their hooks. If Under is nil, the
	// plugins stay unchanged.
	Under func(settings config.Plugins, plugins []host.View) ([]host.View, pipeline.Source)
}

func (l Live) serverTools() []tool.Tool {
	return l.Servers.Tools()
}

// deferred returns the names of the servers whose tools the model can request.
func (l Live) deferred() []string {
	var out []string
	for _, s := range l.Servers.Servers() {
		if s.Deferred && s.State == mcp.StateDeferred {
			out = append(out, s.Name)
		}
	}
	return out
}

// Toolset holds the tools of a role.
type Toolset struct {
	Registry *tool.Registry
	// Reader is the tool that reads files, even if the role may not use it; nil if the tool is disabled.
	Reader tool.Tool
	// Offered holds the names of the tools that the model is offered at once. Deferred holds the names of the servers whose tools
	// the model can request.
	Offered, Deferred []string
	// conditions says when tools are offered, by the names of the tools. A tool without a condition is always offered.
	conditions map[string]condition.Expr
	// known holds the names of all tools, including tools that the role may not use.
	known []string
}

// tools returns the tools of a role.
func (m member) tools(confined Confinement, live Live) (Toolset, error) {
	c := m.source.Config
	live = m.served(live)
	out := Toolset{conditions: serverConditions(c, live), Deferred: live.deferred()}
	var all []tool.Tool
	confined = confined.prepared()
	every := m.everyTool(confined, live)
	out.known = toolNames(every, live.Plugins)
	for _, t := range every {
		d := c.ToolDefinitions[t.Definition().Name]
		if d.Disabled {
			continue
		}
		if expr := ConditionOf(c, t); !expr.IsZero() {
			out.conditions[t.Definition().Name] = expr
		}
		guarded := readguard.Guarded(t, live.Seen, readguard.Rules(m.features.Tools.ReadBefore))
		made := confined.Escalating(m.source, confined.Watched(confined.Fence(m.buffered(guarded)), true))
		if def := t.Definition(); def.Source == tool.SourceBuiltin && def.Name == builtin.BashName {
			made = live.Background.Tool(made)
		}
		all = append(all, Redefined(changing(made, live.Changing), d))
	}
	known, err := tool.NewRegistry(all...)
	if err != nil {
		return out, err
	}
	out.Reader, _ = known.Lookup(builtin.ReadName)
	var kept []tool.Tool
	for _, t := range narrow(known.List(), m.source.layers(m.role, m.features), m.features.Tools.OptIn) {
		kept = append(kept, t)
		if name := t.Definition().Name; name != donetool.Name && !slices.Contains(background.Names(), name) {
			out.Offered = append(out.Offered, name)
		}
	}
	out.Registry, err = tool.NewRegistry(kept...)
	return out, err
}

// EveryTool returns all tools, including tools that the role may not use.
func (c Chain) EveryTool(live Live) []tool.Tool {
	return c.members[0].everyTool(c.members[0].confinement(), c.members[0].served(live))
}

// served returns what a session runs without the MCP servers of other agents.
func (m member) served(live Live) Live {
	live.Servers = mcp.View(func(name string) bool { return m.source.Config.MCPServers[name].Of(m.role.Agent.Name) }, live.Servers)
	return live
}

func (m member) everyTool(confined Confinement, live Live) []tool.Tool {
	s, bash := m.source, m.features.Tools.Bash
	all := confined.Builtins(builtin.Options{
		Workdir: s.Config.Workdir, Env: WithTask(s.Config.Environ, s.TaskEnv), BashTimeout: bash.Timeout.Duration(), Timeout: m.features.Tools.Timeout.Duration(),
		Truncation: builtin.Truncation(bash.Truncation).Within(m.features.Tools.Result.MaxTokens), OutputDir: s.outputDir(), Pages: live.Pages,
	}, s.TaskEnv)
	live.Subagents = m.features.Tools.Subagents
	all = append(all, s.OwnTools(live, live.deferred())...)
	return slices.Concat(all, SearchTools(m.features), s.PluginTools(confined, live), live.serverTools())
}

// TakenToolNames maps the names that a plugin's tool can have only if its plugin.yaml sets override to the owners of the names.
// These are the names of aura's own tools, including tools that only some sessions have. The owner is empty for a name that the
// configuration releases.
func TakenToolNames(c *config.Config) map[string]string {
	names := tool.Conditional()
	for _, t := range builtin.All(builtin.Options{}) {
		names = append(names, t.Definition().Name)
	}
	out := map[string]string{}
	for _, name := range names {
		out[name] = tool.Definition{}.From()
	}
	for name, d := range c.ToolDefinitions {
		if d.Override || d.Disabled {
			out[name] = ""
		}
	}
	return out
}

// OwnTools returns aura's own tools that use neither files nor the shell. servers holds the servers whose tools the model can
// request.
func (s Source) OwnTools(live Live, servers []string) []tool.Tool {
	all := slices.Concat(live.Todos.Tools(), live.Background.Tools(), []tool.Tool{donetool.Tool()})
	if len(s.Config.Skills) > 0 {
		all = append(all, skill.Tool(skills(s.Config)))
	}
	if agents := Subagents(s.Config); len(agents) > 0 {
		all = append(all, delegateTool{agents: agents, run: live.Delegate, atOnce: live.Subagents})
	}
	if live.Accept != nil {
		all = append(all, planTool{accept: live.Accept})
	}
	if len(servers) > 0 {
		all = append(all, loadTool{servers: servers, load: live.Load})
	}
	return all
}

// ConditionOf returns the condition under which a tool is offered: the configured one, or else its own.
func ConditionOf(c *config.Config, t tool.Tool) condition.Expr {
	expr := c.ToolDefinitions[t.Definition().Name].Condition
	if s, ok := tool.As[searchTool](t); ok && s.byService && expr.IsZero() {
		return canSearch()
	}
	return expr
}

// serverConditions returns the conditions of the servers, by the names of their tools.
func serverConditions(c *config.Config, live Live) map[string]condition.Expr {
	out := map[string]condition.Expr{}
	for _, t := range live.serverTools() {
		d := t.Definition()
		if expr := c.MCPServers[d.Origin].Condition; !expr.IsZero() {
			out[d.Name] = expr
		}
	}
	return out
}

// Redefined returns a tool as the configuration describes it.
func Redefined(t tool.Tool, d config.ToolDefinition) tool.Tool {
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

// withhold returns a function that returns the tools whose condition does not hold at the moment. A condition that cannot be
// evaluated is reported and does not hold. The tools for background commands are not offered before there is one.
func (m member) withhold(conditions map[string]condition.Expr, commands *background.Set) func(context.Context, sdk.Context) []string {
	return func(ctx context.Context, state sdk.Context) []string {
		var out []string
		if !commands.Used() {
			out = background.Names()
		}
		for _, name := range slices.Sorted(maps.Keys(conditions)) {
			holds, err := m.source.Holds(ctx, m.features, conditions[name], state)
			if err != nil && ctx.Err() == nil {
				m.source.notice("", "tool "+name+" is not offered: "+err.Error())
			}
			if !holds {
				out = append(out, name)
			}
		}
		return out
	}
}

// The tools that need a session.
const (
	// DelegateName is the name of the tool by which an agent delegates work to another agent.
	DelegateName = "Task"
	// LoadName is the name of the tool by which a model requests tools that it is not offered at once.
	LoadName = "LoadTools"
)

// delegateTool delegates a piece of work to another agent, which works in a separate conversation.
type delegateTool struct {
	agents []config.Agent
	run    func(ctx context.Context, agent config.Agent, prompt string, step func(text string)) (string, error)
	atOnce int
}

// Definition lists the available agents.
func (t delegateTool) Definition() tool.Definition {
	var b strings.Builder
	b.WriteString("Hand a piece of work to another agent. It starts with nothing but your prompt, works on its own, and its last " +
		"message is what you get. There are:\n")
	var known []string
	for _, agent := range t.agents {
		fmt.Fprintf(&b, "- %s: %s\n", agent.Name, strings.Join(strings.Fields(agent.Description), " "))
		known = append(known, agent.Name)
	}
	// A slice of strings can always be encoded.
	list, _ := json.Marshal(known)
	return tool.Definition{
		Name: DelegateName, Description: strings.TrimRight(b.String(), "\n"), Source: tool.SourceBuiltin, Parallel: true, AtOnce: t.atOnce,
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"description":{"type":"string","description":"the work in a few words, for the user"},` +
			`"prompt":{"type":"string","minLength":1,"description":"all that the agent must know"},` +
			`"agent":{"type":"string","enum":` + string(list) + `,"description":"who does it; default ` + known[0] + `"}},` +
			`"required":["prompt"],"additionalProperties":false}`),
	}
}

// Execute returns the agent's last message.
func (t delegateTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	prompt, _ := call.Args["prompt"].(string)
	name, _ := call.Args["agent"].(string)
	for _, agent := range t.agents {
		if name == "" || agent.Name == name {
			return t.run(ctx, agent, prompt, call.Step)
		}
	}
	return "", fmt.Errorf("handing work to agent %q: it does not exist", name)
}

// loadTool loads the tools of a deferred server.
type loadTool struct {
	servers []string
	load    func(ctx context.Context, server string) (string, error)
}

// Definition lists the servers.
func (t loadTool) Definition() tool.Definition {
	// A slice of strings can always be encoded.
	list, _ := json.Marshal(t.servers)
	return tool.Definition{
		Name:        LoadName,
		Description: "Get the tools of a server, for use from your next message on. There are: " + strings.Join(t.servers, ", ") + ".",
		Parameters: json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","enum":` + string(list) +
			`,"description":"whose tools"}},"required":["server"],"additionalProperties":false}`),
		Source: tool.SourceBuiltin,
	}
}

// Execute loads the tools of the server, which are offered from the next turn on.
func (t loadTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	name, _ := call.Args["server"].(string)
	return t.load(ctx, name)
}
