package setup

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/host"
	"github.com/idelchi/aura/internal/condition"
	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/donetool"
	"github.com/idelchi/aura/internal/mcp"
	"github.com/idelchi/aura/internal/pipeline"
	"github.com/idelchi/aura/internal/readguard"
	"github.com/idelchi/aura/internal/skill"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/internal/tool"
	"github.com/idelchi/aura/internal/tool/builtin"
	"github.com/idelchi/aura/sdk"
)

// Live is what runs in a session, as far as tools and prompts depend on it.
type Live struct {
	Plugins []host.View
	// Entries are the same plugins as they were found, by name.
	Entries map[string]Entry
	// Servers are the MCP servers; nil for none.
	Servers *mcp.Set
	Todos   *todo.List
	Seen    *readguard.Files
	// Delegate hands work to another agent, Load brings in the tools of a deferred server; both return what the model is told.
	Delegate func(ctx context.Context, agent config.Agent, prompt string) (string, error)
	Load     func(ctx context.Context, server string) (string, error)
	// Under returns plugins as the settings of a fallback agent select and configure them, and their hooks. Nil leaves them as they are.
	Under func(settings config.Plugins, plugins []host.View) ([]host.View, pipeline.Source)
}

func (l Live) serverTools() []tool.Tool {
	if l.Servers == nil {
		return nil
	}
	return l.Servers.Tools()
}

// deferred are the servers whose tools the model can ask for, by name.
func (l Live) deferred() []string {
	if l.Servers == nil {
		return nil
	}
	var out []string
	for _, s := range l.Servers.Servers() {
		if s.Deferred && s.State == mcp.StateDeferred {
			out = append(out, s.Name)
		}
	}
	return out
}

// Toolset is the tools of a role.
type Toolset struct {
	Registry *tool.Registry
	// Reader is the tool that reads files, also if it is not among them; nil if it is disabled.
	Reader tool.Tool
	// Offered are the names of the tools that the model is offered at once, Deferred those of the servers it can ask for.
	Offered, Deferred []string
	// conditions say when tools are offered, by their names. Those without one always are.
	conditions map[string]condition.Expr
	// known are the names of all tools, those that the role may not use included.
	known []string
}

// tools gathers the tools that a role has.
func (m member) tools(confined Confinement, live Live) (Toolset, error) {
	c := m.source.Config
	out := Toolset{conditions: serverConditions(c, live), Deferred: live.deferred()}
	var all []tool.Tool
	confined = confined.prepared()
	every := m.everyTool(confined, live)
	out.known = toolNames(every, live.Plugins)
	for _, t := range every {
		d, ok := c.ToolDefinitions[t.Definition().Name]
		if ok && d.Disabled {
			continue
		}
		if ok && !d.Condition.IsZero() {
			out.conditions[d.Name] = d.Condition
		}
		guarded := readguard.Guarded(t, live.Seen, readguard.Rules(m.features.Tools.ReadBefore))
		all = append(all, Redefined(confined.Fence(guarded), d))
	}
	known, err := tool.NewRegistry(all...)
	if err != nil {
		return out, err
	}
	out.Reader, _ = known.Lookup(builtin.ReadName)
	var kept []tool.Tool
	for _, t := range narrow(known.List(), m.source.layers(m.role, m.features), m.features.Tools.OptIn) {
		kept = append(kept, t)
		if name := t.Definition().Name; name != donetool.Name {
			out.Offered = append(out.Offered, name)
		}
	}
	out.Registry, err = tool.NewRegistry(kept...)
	return out, err
}

// EveryTool is all the tools of the role, whoever may use them.
func (c Chain) EveryTool(live Live) []tool.Tool {
	return c.members[0].everyTool(c.members[0].confinement(), live)
}

func (m member) everyTool(confined Confinement, live Live) []tool.Tool {
	s, bash := m.source, m.features.Tools.Bash
	all := confined.Builtins(builtin.Options{
		Workdir: s.Config.Workdir, Env: WithTask(s.Config.Environ, s.TaskEnv), BashTimeout: bash.Timeout.Duration(),
		Truncation: builtin.Truncation(bash.Truncation).Within(m.features.Tools.Result.MaxTokens), OutputDir: s.outputDir(),
	}, s.TaskEnv)
	all = append(all, s.OwnTools(live, live.deferred())...)
	return slices.Concat(all, s.PluginTools(confined, live), live.serverTools())
}

// TakenToolNames are the names that a plugin's tool cannot have unless its plugin.yaml overrides, with whose they are: those of aura's
// own tools, also of those that only some sessions have. A name that the configuration gives free is nobody's.
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

// OwnTools are aura's own tools that touch neither files nor the shell. The servers are those whose tools the model can ask for.
func (s Source) OwnTools(live Live, servers []string) []tool.Tool {
	all := append(live.Todos.Tools(), donetool.Tool())
	if len(s.Config.Skills) > 0 {
		all = append(all, skill.Tool(skills(s.Config)))
	}
	if agents := Subagents(s.Config); len(agents) > 0 {
		all = append(all, delegateTool{agents: agents, run: live.Delegate})
	}
	if len(servers) > 0 {
		all = append(all, loadTool{servers: servers, load: live.Load})
	}
	return all
}

func skills(c *config.Config) []skill.Skill {
	var out []skill.Skill
	for _, name := range slices.Sorted(maps.Keys(c.Skills)) {
		s := c.Skills[name]
		out = append(out, skill.Skill{Name: name, Description: s.Description, Body: s.Body, Dir: s.Dir()})
	}
	return out
}

// serverConditions are those of the servers, by the names of their tools.
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

// Redefined is a tool as the configuration describes it.
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

// withhold leaves out the tools whose condition does not hold at the moment. One that cannot be evaluated is reported and does
// not hold.
func (m member) withhold(conditions map[string]condition.Expr) func(context.Context, sdk.Context) []string {
	if len(conditions) == 0 {
		return nil
	}
	return func(ctx context.Context, state sdk.Context) []string {
		var out []string
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
	// DelegateName is the tool by which an agent hands work to another.
	DelegateName = "Task"
	// LoadName is the tool by which a model asks for tools that it is not offered at once.
	LoadName = "LoadTools"
)

// delegateTool hands a piece of work to another agent, which does it in a conversation of its own.
type delegateTool struct {
	agents []config.Agent
	run    func(ctx context.Context, agent config.Agent, prompt string) (string, error)
}

// Definition names the agents there are.
func (t delegateTool) Definition() tool.Definition {
	var b strings.Builder
	b.WriteString("Hand a piece of work to another agent. It starts with nothing but your prompt, works on its own, and its last " +
		"message is what you get. There are:\n")
	var known []string
	for _, agent := range t.agents {
		fmt.Fprintf(&b, "- %s: %s\n", agent.Name, strings.Join(strings.Fields(agent.Description), " "))
		known = append(known, agent.Name)
	}
	// Strings always can be encoded.
	list, _ := json.Marshal(known)
	return tool.Definition{
		Name: DelegateName, Description: strings.TrimRight(b.String(), "\n"), Source: tool.SourceBuiltin,
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
			return t.run(ctx, agent, prompt)
		}
	}
	return "", fmt.Errorf("handing work to agent %q: it does not exist", name)
}

// loadTool brings in the tools of a deferred server.
type loadTool struct {
	servers []string
	load    func(ctx context.Context, server string) (string, error)
}

// Definition names the servers.
func (t loadTool) Definition() tool.Definition {
	// Strings always can be encoded.
	list, _ := json.Marshal(t.servers)
	return tool.Definition{
		Name:        LoadName,
		Description: "Get the tools of a server, for use from your next message on. There are: " + strings.Join(t.servers, ", ") + ".",
		Parameters: json.RawMessage(`{"type":"object","properties":{"server":{"type":"string","enum":` + string(list) +
			`,"description":"whose tools"}},"required":["server"],"additionalProperties":false}`),
		Source: tool.SourceBuiltin,
	}
}

// Execute offers the tools of the server from the next turn on.
func (t loadTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	name, _ := call.Args["server"].(string)
	return t.load(ctx, name)
}
