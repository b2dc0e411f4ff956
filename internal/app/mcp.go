package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/agent/toolhost"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

// MCPOptions are the options for connecting to MCP servers.
type MCPOptions struct {
	// Confinement is what confines the programs.
	Confinement setup.Confinement
	// Trace holds the variables that tell servers their position in a trace.
	Trace   []string
	Version string
	// Notify receives notices for the user. OnChange is called when tools changed. Both may be called from any goroutine.
	Notify   func(text string)
	OnChange func()
}

// OpenMCP connects to the servers of a configuration. The caller must close the set.
func OpenMCP(ctx context.Context, c *config.Config, o MCPOptions) *mcp.Set {
	var list []mcp.Server
	for _, name := range slices.Sorted(maps.Keys(c.MCPServers)) {
		list = append(list, o.Confinement.Server(c, c.MCPServers[name]))
	}
	program, err := toolhost.Program()
	if err != nil {
		o.Notify(fmt.Sprintf("%v; a process that an MCP server detaches may outlive the session", err))
	}
	return mcp.Open(ctx, mcp.Options{
		Workdir: c.Workdir, Environ: slices.Concat(o.Trace, c.Environ), Executable: program.Start, Version: o.Version, Notify: o.Notify, OnChange: o.OnChange,
	}, list)
}

// statuses returns the statuses of the servers of a set, which may be nil.
func statuses(set *mcp.Set) []mcp.Status {
	if set == nil {
		return nil
	}
	return set.Servers()
}

// connected returns the names of the connected servers.
func connected(set *mcp.Set) []string {
	var out []string
	for _, s := range statuses(set) {
		if s.State == mcp.StateConnected {
			out = append(out, s.Name)
		}
	}
	return out
}

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
	if s.servers.set == nil {
		return fmt.Errorf("connecting to MCP server %q: none is configured", server)
	}
	if _, err := s.servers.set.Load(ctx, server); err != nil {
		return err
	}
	s.servers.stale.Store(true)
	s.applyOutsideChanges(ctx)
	return nil
}

// MCPServer describes a server in a list.
type MCPServer struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	State    string `json:"state"`
	Deferred bool   `json:"deferred"`
	// Sandbox says what confines the program of a server of type stdio. It is empty for other servers.
	Sandbox string `json:"sandbox,omitempty"`
	Error   string `json:"error,omitempty"`
	// Tools holds the names by which the model calls the tools.
	Tools []string `json:"tools"`
	// File is the file that configures the server.
	File string `json:"file"`
}

// serverRights says what confines the program of a server; empty if the server is no program of this machine.
func serverRights(c *config.Config, s config.MCPServer) string {
	if s.Type != config.MCPStdio {
		return ""
	}
	return setup.Rights(c, s.Unconfined(), s.Extra)
}

// stateUntrusted is the state of a server of an untrusted project. aura does not connect to such a server.
const stateUntrusted = "untrusted"

// untrustedServers returns the servers of an untrusted project.
func untrustedServers(l gate.Listing) []MCPServer {
	var out []MCPServer
	for _, name := range slices.Sorted(maps.Keys(l.Text.MCPServers)) {
		if s := l.Text.MCPServers[name]; l.Foreign(s.Source) {
			out = append(out, MCPServer{
				Name: name, Type: string(s.Type), State: stateUntrusted, Deferred: s.Deferred, Sandbox: serverRights(l.Text, s), Tools: []string{}, File: s.Source.File,
			})
		}
	}
	return out
}

// MCPServers connects to the servers of a configuration, or to the named one, and lists them. It does not connect to servers of
// an untrusted project.
func MCPServers(ctx context.Context, l gate.Listing, name string) ([]MCPServer, error) {
	c, foreign := *l.Config, untrustedServers(l)
	if name != "" {
		foreign = slices.DeleteFunc(foreign, func(s MCPServer) bool { return s.Name != name })
		one, ok := c.MCPServers[name]
		if !ok && len(foreign) == 0 {
			return nil, fmt.Errorf("listing MCP server %q: it does not exist; known servers: %s", name, setup.Names(l.Text.MCPServers))
		}
		one.Deferred = false
		c.MCPServers = map[string]config.MCPServer{}
		if ok {
			c.MCPServers[name] = one
		}
	}
	set := OpenMCP(ctx, &c, MCPOptions{Confinement: setup.NewConfinement(&c, c.Features, ""), Notify: func(string) {}, OnChange: func() {}})
	defer set.Close()
	if ctx.Err() != nil {
		set.Hurry()
		return nil, ctx.Err()
	}
	out := foreign
	for _, s := range set.Servers() {
		out = append(out, MCPServer{
			Name: s.Name, Type: s.Type, State: string(s.State), Deferred: s.Deferred, Sandbox: serverRights(&c, c.MCPServers[s.Name]), Error: s.Error,
			Tools: append([]string{}, s.Tools...), File: c.MCPServers[s.Name].Source.File,
		})
	}
	return out, nil
}
