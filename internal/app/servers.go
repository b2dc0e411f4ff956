package app

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/idelchi/aura/internal/agent/conversation/event"
	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/app/frontend"
	"github.com/idelchi/aura/internal/base/telemetry"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// servers holds the MCP servers of a session: those that every agent has, and those of the agent that answers.
type servers struct {
	common, own pool
	// logins holds the logins that wait for the user.
	logins logins
	// set is a view of both.
	set *mcp.Set
	// loaded holds the tools of deferred servers that the model requested.
	loaded []string
	// stale is set when tools changed. It may be set from any goroutine.
	stale atomic.Bool
}

// pool holds servers that are started and closed together. set is nil if there are none.
type pool struct {
	set        *mcp.Set
	configured map[string]config.MCPServer
	// sandbox holds the settings that the servers are confined by.
	sandbox config.Sandbox
}

// serverChange is a prepared change of the servers. set is a view of what the servers will be.
type serverChange struct {
	of          *servers
	set         *mcp.Set
	common, own poolChange
}

// poolChange is a prepared change of a pool to next. other reports whether it differs from what the pool is.
type poolChange struct {
	of    *pool
	next  pool
	other bool
}

// connector connects to the servers of a configuration.
type connector func(context.Context, *config.Config, setup.Confinement) *mcp.Set

// prepare connects to the servers of a setup, in addition to the current ones, if they are configured or confined
// differently. A server that cannot be reached is omitted. But prepare fails if the change would lose a server that is connected
// now.
func (v *servers) prepare(ctx context.Context, next *setup.Setup, connect connector) (serverChange, error) {
	out := serverChange{of: v}
	agent := next.Role.Agent.Name
	var err error
	out.common, err = v.common.prepare(ctx, next, func(s config.MCPServer) bool { return len(s.Agents) == 0 }, connect)
	if err == nil {
		out.own, err = v.own.prepare(ctx, next, func(s config.MCPServer) bool { return len(s.Agents) > 0 && s.Of(agent) }, connect)
	}
	out.set = mcp.View(func(string) bool { return true }, out.common.next.set, out.own.next.set)
	return out, err
}

func (v *pool) prepare(ctx context.Context, next *setup.Setup, has func(config.MCPServer) bool, connect connector) (poolChange, error) {
	c := withServers(next.Config, next.Features, has)
	if reflect.DeepEqual(v.configured, c.MCPServers) && (len(c.MCPServers) == 0 || reflect.DeepEqual(v.sandbox, c.Features.Sandbox)) {
		return poolChange{of: v, next: *v}, nil
	}
	out := poolChange{of: v, next: pool{configured: c.MCPServers, sandbox: c.Features.Sandbox}, other: true}
	if len(c.MCPServers) > 0 {
		out.next.set = connect(ctx, c, next.Sandbox())
	}
	for _, now := range out.next.set.Servers() {
		if now.State == mcp.StateFailed && slices.Contains(v.set.Connected(), now.Name) {
			return out, fmt.Errorf("connecting to MCP server %q, which stays connected as it was: %s", now.Name, now.Error)
		}
	}
	return out, nil
}

// withServers returns a configuration with some of its servers, and with the features of a role.
func withServers(of *config.Config, features config.Features, has func(config.MCPServer) bool) *config.Config {
	c := *of
	c.Features, c.MCPServers = features, map[string]config.MCPServer{}
	for name, s := range of.MCPServers {
		if has(s) {
			c.MCPServers[name] = s
		}
	}
	return &c
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
		o.Ask = declining(s.running.questions.inquiring(inquirer), s.notices.show)
	}
	o.Version, o.OnChange = s.opts.Version, func() { s.servers.stale.Store(true) }
	return mcp.Open(ctx, o, list)
}

// declining returns a function that asks the user a question of an MCP server. It declines for a front end that cannot ask, with a notice.
func declining(ask mcp.Ask, notify func(text string)) mcp.Ask {
	return func(ctx context.Context, q mcp.Inquiry) (string, bool, error) {
		text, ok, err := ask(ctx, q)
		if errors.Is(err, mcp.ErrNoText) {
			notify(fmt.Sprintf("MCP server %q asks for a text: declined, because this editor cannot show forms", q.Server))
			return "", false, nil
		}
		return text, ok, err
	}
}

func (c serverChange) commit() {
	c.common.commit()
	c.own.commit()
	c.of.set = c.set
}

func (c poolChange) commit() {
	if c.other {
		c.of.set.Close()
		*c.of = c.next
	}
}

func (c serverChange) abort() {
	c.common.abort()
	c.own.abort()
}

func (c poolChange) abort() {
	if c.other {
		c.next.set.Hurry()
		c.next.set.Close()
	}
}

// close disconnects from the servers. If hurry is set, somebody waits for aura to stop, so the servers get less time to end.
func (v *servers) close(hurry bool) {
	var closing sync.WaitGroup
	for _, set := range []*mcp.Set{v.common.set, v.own.set} {
		if hurry {
			set.Hurry()
		}
		closing.Go(set.Close)
	}
	closing.Wait()
}
