package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/config"
	"github.com/idelchi/aura/internal/conversation"
	"github.com/idelchi/aura/internal/conversation/event"
	"github.com/idelchi/aura/internal/done"
	"github.com/idelchi/aura/internal/llm"
	"github.com/idelchi/aura/internal/todo"
	"github.com/idelchi/aura/internal/tool"
)

// taskName is the tool by which an agent hands work to another.
const taskName = "Task"

// notForSubagents are the tools that belong to the session as a whole: its list of todos, its end, further tools and agents.
var notForSubagents = []string{taskName, loadName, done.Name, todo.CreateName, todo.ListName, todo.ProgressName}

// subagents are the agents that others may hand work to.
func (a *App) subagents() []config.Agent {
	var out []config.Agent
	for _, name := range slices.Sorted(maps.Keys(a.cfg.Agents)) {
		if agent := a.cfg.Agents[name]; agent.Subagent {
			out = append(out, agent)
		}
	}
	return out
}

// taskTool hands a piece of work to another agent, which does it in a conversation of its own. Plugins see that conversation
// as they see any other: a guard that could be passed by asking somebody else would be none.
type taskTool struct {
	app    *App
	agents []config.Agent
}

// Definition names the agents there are.
func (t taskTool) Definition() tool.Definition {
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
		Name: taskName, Description: strings.TrimRight(b.String(), "\n"), Source: tool.SourceBuiltin,
		Parameters: json.RawMessage(`{"type":"object","properties":{` +
			`"description":{"type":"string","description":"the work in a few words, for the user"},` +
			`"prompt":{"type":"string","minLength":1,"description":"all that the agent must know"},` +
			`"agent":{"type":"string","enum":` + string(list) + `,"description":"who does it; default ` + known[0] + `"}},` +
			`"required":["prompt"],"additionalProperties":false}`),
	}
}

// Execute returns the agent's last message. What the agent spends is the session's.
func (t taskTool) Execute(ctx context.Context, call tool.Call) (string, error) {
	text, _ := call.Args["prompt"].(string)
	name, _ := call.Args["agent"].(string)
	agent, err := t.agent(name)
	if err != nil {
		return "", err
	}
	sub, err := t.open(ctx, agent)
	if err != nil {
		return "", fmt.Errorf("handing work to agent %q: %w", agent.Name, err)
	}
	err = sub.Send(ctx, text)
	stats := sub.Stats()
	t.app.talk.Charge(stats.TokensIn, stats.TokensOut)
	answer := lastAnswer(sub.History())
	if err == nil && answer == "" {
		err = errors.New("it ended without an answer")
	}
	if err != nil {
		err = fmt.Errorf("agent %q: %w", agent.Name, err)
	}
	return answer, err
}

func (t taskTool) agent(name string) (config.Agent, error) {
	for _, agent := range t.agents {
		if name == "" || agent.Name == name {
			return agent, nil
		}
	}
	return config.Agent{}, fmt.Errorf("handing work to agent %q: there is none of that name", name)
}

// open begins the agent's own conversation. It is not saved: the session has its prompt and its answer.
func (t taskTool) open(ctx context.Context, agent config.Agent) (*conversation.Conversation, error) {
	r, err := findRole(t.app.cfg, agent.Name, "")
	if err != nil {
		return nil, err
	}
	r.within = t.app.role.mode
	p, err := t.app.personaBeside(ctx, r)
	if err != nil {
		return nil, err
	}
	if p.Tools, err = without(p.Tools, notForSubagents); err != nil {
		return nil, err
	}
	for i, spare := range p.Fallback {
		if p.Fallback[i].Tools, err = without(spare.Tools, notForSubagents); err != nil {
			return nil, err
		}
	}
	budget := max(p.TokenBudget, 0)
	if left, limited := t.app.talk.Left(); limited {
		budget = max(min(cmp.Or(budget, left), left), 1)
	}
	return conversation.New(ctx, conversation.Config{
		Provider: p.Provider, ProviderName: p.ProviderName, Model: p.Model, Agent: p.Agent, Mode: p.Mode, System: p.System,
		Tools: p.Tools, ContextLength: p.ContextLength, Think: p.Think, Generation: p.Generation, Fallback: p.Fallback,
		Guard: p.Guard, Withhold: p.Withhold, Hooks: handlers{t.app}, Workdir: t.app.cfg.Workdir, MaxSteps: p.MaxSteps,
		TokenBudget: budget, Compaction: *p.Compaction, ResultTokens: max(p.ResultTokens, 0), SessionID: t.app.journal.ID(),
		Surroundings: t.app.surroundings,
		Emit:         t.relay(agent.Name),
	})
}

// personaBeside is persona for work that may be done side by side with other such work.
func (a *App) personaBeside(ctx context.Context, r role) (conversation.Persona, error) {
	a.beside.Lock()
	defer a.beside.Unlock()
	return a.persona(ctx, r)
}

// relay passes on what the user should know of the other agent's work.
func (t taskTool) relay(agent string) func(event.Event) {
	return func(e event.Event) {
		switch e := e.(type) {
		case event.ToolCall:
			t.app.events.send(event.Progress{Tool: taskName, Text: fmt.Sprintf("%s: %s %s", agent, e.Name, e.Arguments)})
		case event.ToolResult:
			if e.Error != "" {
				t.app.events.send(event.Progress{Tool: taskName, Text: fmt.Sprintf("%s: %s failed: %s", agent, e.Name, e.Error)})
			}
		case event.Notice, event.PluginError, event.PluginChange, event.Injection:
			t.app.events.send(e)
		}
	}
}

// without is a registry less some tools.
func without(r *tool.Registry, names []string) (*tool.Registry, error) {
	kept := slices.DeleteFunc(r.List(), func(t tool.Tool) bool { return slices.Contains(names, t.Definition().Name) })
	return tool.NewRegistry(kept...)
}

func lastAnswer(history []llm.Message) string {
	for _, m := range slices.Backward(history) {
		if m.Role == llm.RoleAssistant && m.Content != "" {
			return m.Content
		}
	}
	return ""
}
