package app

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/mcpauth"
	"github.com/idelchi/aura/internal/app/frontend"
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

// loginPatience is how long a login within a session waits for the user.
const loginPatience = 5 * time.Minute

// Login logs in to a server and connects to it. The user opens the address that a notice shows. A user who declines to paste an address can still log in
// with a browser of this machine.
func (c control) Login(ctx context.Context, name string) error {
	server, err := c.webServer("logging in to", name)
	if err != nil {
		return err
	}
	inquirer, ok := c.s.front.(frontend.Inquirer)
	if !ok {
		return fmt.Errorf("logging in to MCP server %q: there is nobody to do it; run aura mcp login %s in a terminal", name, name)
	}
	limited, cancel := context.WithTimeoutCause(ctx, loginPatience, fmt.Errorf("nobody logged in within %s", loginPatience))
	defer cancel()
	ask := c.s.running.activity.inquiring(inquirer)
	err = setup.Logins(c.s.setup.Config).Login(limited, server.URL, setup.LoginSettings(server), mcpauth.User{
		Visit: func(address string) {
			c.s.notices.show(fmt.Sprintf("open this address in a browser, within %s: %s", loginPatience, address))
		},
		Paste: func(ctx context.Context, check func(string) error) (string, bool, error) {
			return ask(ctx, mcp.Inquiry{
				Server: name, Message: "a login. If the browser runs on this machine, aura notices the answer. Otherwise paste the address at which the browser ends, although it shows no page.",
				Field: "address", Check: check,
			})
		},
	})
	if err != nil {
		return fmt.Errorf("logging in to MCP server %q: %w", name, err)
	}
	c.s.hideLogins(c.s.setup.Config)()
	if !server.Of(c.s.setup.Role.Agent.Name) {
		return nil
	}
	return c.s.connect(ctx, name)
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
