package app

import (
	"github.com/idelchi/aura/internal/agent/command"
	"github.com/idelchi/aura/internal/agent/conversation"
	"github.com/idelchi/aura/internal/agent/llm"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/todo"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/settings/setup"
)

var _ frontend.Session = (*Session)(nil)

// shown holds what front ends see of a session beside the conversation. It does not change; refresh replaces it.
type shown struct {
	setup    *setup.Setup
	sandbox  string
	trust    frontend.Trust
	commands []frontend.CommandInfo
	servers  *mcp.Set
}

// Status returns the present state of the session. It may be called from any goroutine.
func (s *Session) Status() frontend.Status {
	now, view := s.talk.Context(), s.shown.Load()
	secrets := s.secrets.Get()
	return frontend.Status{
		Agent: now.Agent, Mode: now.Mode, Provider: now.Provider, Model: now.ModelInfo.Name, Think: now.ThinkMode,
		Context: now.Tokens.Estimate, Limit: now.Tokens.Max, Percent: now.Tokens.Percent,
		TokensIn: now.Stats.TokensIn, TokensOut: now.Stats.TokensOut, CostUSD: now.CostUSD, PricesOf: conversation.PricesOf(s.talk.Models()),
		Sandbox: view.sandbox, Trust: view.trust,
		SessionID: now.SessionID, Title: secrets.String(now.SessionTitle), Workdir: now.Workdir, Auto: now.Auto, Done: now.DoneActive,
		Background: s.journal.commands.Running(),
	}
}

// Role returns who answers. It may be called from any goroutine.
func (s *Session) Role() frontend.Role {
	p := s.talk.Persona()
	return frontend.Role{Agent: p.Agent, Mode: p.Mode, Provider: p.ProviderName, Model: s.talk.ModelName(), Think: s.talk.ThinkMode()}
}

// sandboxed says in a word or two whether tools are confined.
func sandboxed(c setup.Confinement) string {
	switch {
	case c.Enabled():
		return "on"
	case c.Requested():
		return "not enforced"
	default:
		return "off"
	}
}

// Commands returns the slash commands. It may be called from any goroutine.
func (s *Session) Commands() []frontend.CommandInfo { return s.shown.Load().commands }

func infos(list []command.Command) []frontend.CommandInfo {
	out := make([]frontend.CommandInfo, 0, len(list))
	for _, c := range list {
		out = append(out, frontend.CommandInfo{Name: c.Name, Description: c.Description, Hints: c.Hints, Source: c.Source, Origin: c.Origin})
	}
	return out
}

// History returns the messages of the conversation without secrets. It may be called from any goroutine.
func (s *Session) History() []llm.Message {
	secrets, out := s.secrets.Get(), s.talk.History()
	for i := range out {
		m := &out[i]
		m.Content, m.Thinking, m.ThinkingBlocks = secrets.String(m.Content), secrets.String(m.Thinking), nil
		calls := m.ToolCalls
		m.ToolCalls = nil
		for _, call := range calls {
			call.Arguments, call.Signature = secrets.JSON(call.Arguments), nil
			m.ToolCalls = append(m.ToolCalls, call)
		}
	}
	return out
}

// Todos returns the todo list without secrets. It may be called from any goroutine.
func (s *Session) Todos() []todo.Item {
	secrets, out := s.secrets.Get(), s.todos.Items()
	for i := range out {
		out[i].Content = secrets.String(out[i].Content)
	}
	return out
}
