package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/donetool"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/agent/tool"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// notForSubagents lists the tools that belong to the session as a whole: its list of todos, its end, further tools and agents.
var notForSubagents = []string{setup.DelegateName, setup.LoadName, donetool.Name, setup.PlanName, todo.CreateName, todo.ListName, todo.ProgressName}

// delegate delegates a piece of work to another agent, which works in a separate conversation. Plugins see that conversation
// like any other, because otherwise delegation would bypass a guard. The usage of the agent is charged to the session.
func (s *Session) delegate(ctx context.Context, agent config.Agent, prompt string, step func(text string)) (string, error) {
	own, err := subagentServers(ctx, s.setup, agent.Name, s.connectServers)
	if err != nil {
		return "", fmt.Errorf("handing work to agent %q: %w", agent.Name, err)
	}
	defer func() {
		if ctx.Err() != nil {
			own.Hurry()
		}
		own.Close()
	}()
	sub, err := s.openSubagent(ctx, agent, own, step)
	if err != nil {
		return "", fmt.Errorf("handing work to agent %q: %w", agent.Name, err)
	}
	err = sub.Send(ctx, prompt)
	answer := lastAnswer(sub.History())
	if err == nil && answer == "" {
		err = errors.New("it ended without an answer")
	}
	if err != nil {
		err = fmt.Errorf("agent %q: %w", agent.Name, err)
	}
	return answer, err
}

// subagentServers connects to the MCP servers that another agent has and that do not run in a session with this setup. A subagent cannot ask for the
// tools of a deferred server, so none is deferred.
func subagentServers(ctx context.Context, of *setup.Setup, agent string, connect connector) (*mcp.Set, error) {
	_, features, err := subagentRole(of, agent)
	if err != nil {
		return nil, err
	}
	c := withServers(of.Config, features, func(m config.MCPServer) bool { return m.Of(agent) && !m.Of(of.Role.Agent.Name) })
	if len(c.MCPServers) == 0 {
		return nil, nil
	}
	for name, server := range c.MCPServers {
		server.Deferred = false
		c.MCPServers[name] = server
	}
	return connect(ctx, c, of.Confinement(features)), nil
}

// openSubagent begins the agent's own conversation. The conversation is not saved: the session contains its prompt and its
// answer. own are the agent's own servers.
func (s *Session) openSubagent(ctx context.Context, agent config.Agent, own *mcp.Set, step func(text string)) (*conversation.Conversation, error) {
	p, plugins, err := s.subagent(ctx, agent, own)
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
	return conversation.New(ctx, conversation.Config{
		Persona: p, Hooks: plugins, Lead: s.talk, Workdir: s.setup.Config.Workdir, SessionID: s.journal.ID(), Surroundings: s.surroundings, Replaced: s.replaced,
		Emit: relay(agent.Name, step, s.events.send, s.journal.flight.event),
	})
}

// subagent returns another agent's persona within this session, and the plugins with the settings of that agent. It may be
// called concurrently.
func (s *Session) subagent(ctx context.Context, agent config.Agent, own *mcp.Set) (conversation.Persona, narrowed, error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	r, features, err := subagentRole(s.setup, agent.Name)
	if err != nil {
		return conversation.Persona{}, narrowed{}, err
	}
	chain, err := s.setup.NewChain(ctx, r)
	if err != nil {
		return conversation.Persona{}, narrowed{}, err
	}
	plugins := s.plugins.under(features.Plugins)
	live := s.live(s.setup, plugins.views(), mcp.View(func(string) bool { return true }, s.servers.set, own))
	live.Background = nil // nobody would look at the commands of an agent whose work is done
	p, err := chain.Persona(ctx, live)
	return p, plugins, err
}

// subagentRole returns the role of another agent within a session with this setup, and its features.
func subagentRole(of *setup.Setup, agent string) (setup.Role, config.Features, error) {
	r, err := setup.FindRole(of.Config, agent, "")
	if err != nil {
		return r, config.Features{}, err
	}
	r.Within = of.Role.Mode
	features, err := of.Source.Features(r)
	return r, features, err
}

// relay returns a function that passes on those events of another agent that the user should see. Its tool calls are steps. They, and results
// of tools, which may be refusals, also go to record.
func relay(agent string, step func(text string), send, record func(event.Event)) func(event.Event) {
	return func(e event.Event) {
		switch e := e.(type) {
		case event.ToolCall:
			record(e)
			step(strings.TrimSpace(agent + ": " + e.Name + " " + e.Subject()))
		case event.ToolResult:
			record(e)
			if e.Error != "" {
				step(fmt.Sprintf("%s: %s failed: %s", agent, e.Name, e.Error))
			}
		case event.Notice, event.PluginError, event.PluginChange, event.Injection:
			send(e)
		}
	}
}

// without returns a registry without some tools.
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
