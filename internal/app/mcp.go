package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// loadTools loads the tools of a deferred server, which can be used from the next turn on.
func (s *Session) loadTools(ctx context.Context, server string) (string, error) {
	found, err := s.servers.set.Load(ctx, server)
	if err != nil {
		return "", err
	}
	tools, err := s.setup.Tools(s.live(s.setup, s.plugins.views(), s.servers.set))
	if err != nil {
		return "", err
	}
	s.talk.SetTools(tools.Registry)
	var names []string
	for _, f := range found {
		names = append(names, f.Definition().Name)
	}
	s.servers.loaded = append(s.servers.loaded, names...)
	s.refresh()
	return "you have these tools now: " + strings.Join(names, ", "), nil
}

// connect connects to a deferred server at the user's request.
func (s *Session) connect(ctx context.Context, server string) error {
	if of := s.setup.Config.MCPServers[server]; !of.Of(s.setup.Role.Agent.Name) {
		return fmt.Errorf("connecting to MCP server %q: only agent %s has it; switch with /agent", server, strings.Join(of.Agents, ", "))
	}
	if _, err := s.servers.set.Load(ctx, server); err != nil {
		return err
	}
	s.servers.stale.Store(true)
	s.applyOutsideChanges(ctx)
	return nil
}

// hideLogins returns a function that makes new tokens of the logins to servers secrets of the session. It may be called from any goroutine.
func (s *Session) hideLogins(of *config.Config) func() {
	return func() {
		now, env := of, map[string]string(nil)
		if view := s.shown.Load(); view != nil {
			now, env = view.setup.Config, view.setup.TaskEnv
		}
		s.secrets.Set(setup.Secrets(now, env))
	}
}

// Logout forgets the login to a server.
func (c control) Logout(ctx context.Context, name string) error {
	server, err := c.webServer("logging out of", name)
	if err != nil {
		return err
	}
	found, err := setup.Logins(c.s.setup.Config).Logout(ctx, server.URL)
	if err == nil && !found {
		err = errors.New("there is no login")
	}
	if err != nil {
		return fmt.Errorf("logging out of MCP server %q: %w", name, err)
	}
	return nil
}

// Servers returns the servers that run, and those that only other agents have.
func (c control) Servers() []mcp.Status {
	out := c.s.servers.set.Servers()
	for name, server := range c.s.setup.Config.MCPServers {
		if !server.Of(c.s.setup.Role.Agent.Name) {
			out = append(out, mcp.Status{Name: name, Type: string(server.Type), State: mcp.State("for agent " + strings.Join(server.Agents, ", "))})
		}
	}
	return out
}

// webServer returns a configured server of type http.
func (c control) webServer(doing, name string) (config.MCPServer, error) {
	server, ok := c.s.setup.Config.MCPServers[name]
	switch {
	case !ok:
		return server, fmt.Errorf("%s MCP server %q: it does not exist; known servers: %s", doing, name, setup.Names(c.s.setup.Config.MCPServers))
	case server.Type != config.MCPHTTP:
		return server, fmt.Errorf("%s MCP server %q: it is a program; only servers with a url have a login", doing, name)
	}
	return server, nil
}
