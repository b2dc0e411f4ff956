package app

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// servers holds the MCP servers of a session. set is nil while no server is configured.
type servers struct {
	set        *mcp.Set
	configured map[string]config.MCPServer
	// sandbox holds the settings that the servers are confined by.
	sandbox config.Sandbox
	// loaded holds the tools of deferred servers that the model requested.
	loaded []string
	// stale is set when tools changed. It may be set from any goroutine.
	stale atomic.Bool
}

// serverChange is a prepared change of the servers. set is what the servers will be. other reports whether it differs from what
// they are.
type serverChange struct {
	of         *servers
	set        *mcp.Set
	configured map[string]config.MCPServer
	sandbox    config.Sandbox
	other      bool
}

// connector connects to the servers of a configuration.
type connector func(context.Context, *config.Config, setup.Confinement) *mcp.Set

// prepare connects to the servers of a setup, in addition to the current ones, if they are configured or confined
// differently. A server that cannot be reached is omitted. But prepare fails if the change would lose a server that is connected
// now.
func (v *servers) prepare(ctx context.Context, next *setup.Setup, connect connector) (serverChange, error) {
	c := *next.Config
	c.Features = next.Features
	if reflect.DeepEqual(v.configured, c.MCPServers) && (len(c.MCPServers) == 0 || reflect.DeepEqual(v.sandbox, c.Features.Sandbox)) {
		return serverChange{of: v, set: v.set}, nil
	}
	out := serverChange{of: v, configured: c.MCPServers, sandbox: c.Features.Sandbox, other: true}
	if len(c.MCPServers) > 0 {
		out.set = connect(ctx, &c, next.Sandbox())
	}
	for _, now := range out.set.Servers() {
		if now.State == mcp.StateFailed && slices.Contains(v.set.Connected(), now.Name) {
			return out, fmt.Errorf("connecting to MCP server %q, which stays connected as it was: %s", now.Name, now.Error)
		}
	}
	return out, nil
}

// connectServers connects to the servers of a configuration. It shows which of them cannot be reached.
func (s *Session) connectServers(ctx context.Context, of *config.Config, confined setup.Confinement) *mcp.Set {
	s.events.send(event.Waiting{For: event.ForServers})
	o, list := confined.MCP(of, s.notices.show)
	o.Environ = slices.Concat(telemetry.Environ(s.tracer.First(ctx)), o.Environ)
	if s.opts.PluginLogs {
		o.Log = func(server, level, text string) {
			s.events.send(event.ServerLog{Server: server, Level: level, Text: text})
		}
	}
	for _, server := range list {
		if server.Tokens != nil {
			server.Tokens.OnRenewal(s.hideLogins(of))
		}
	}
	if inquirer, ok := s.front.(frontend.Inquirer); ok {
		o.Ask = s.running.activity.inquiring(inquirer)
	}
	o.Version, o.OnChange = s.opts.Version, func() { s.servers.stale.Store(true) }
	return mcp.Open(ctx, o, list)
}

func (c serverChange) commit() {
	if !c.other {
		return
	}
	c.of.set.Close()
	c.of.set, c.of.configured, c.of.sandbox = c.set, c.configured, c.sandbox
}

func (c serverChange) abort() {
	if c.other {
		c.set.Hurry()
		c.set.Close()
	}
}

// close disconnects from the servers. If hurry is set, somebody waits for aura to stop, so the servers get less time to end.
func (v *servers) close(hurry bool) {
	if hurry {
		v.set.Hurry()
	}
	v.set.Close()
}
