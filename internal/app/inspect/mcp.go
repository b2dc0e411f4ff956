package inspect

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/idelchi/aura/internal/agent/mcp"
	"github.com/idelchi/aura/internal/app/gate"
	"github.com/idelchi/aura/internal/settings/config"
	"github.com/idelchi/aura/internal/settings/setup"
)

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
	// Agents are the agents that have the server, if only some have it.
	Agents []string `json:"agents,omitempty"`
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
				Name: name, Type: string(s.Type), State: stateUntrusted, Deferred: s.Deferred, Sandbox: serverRights(l.Text, s), Tools: []string{}, Agents: s.Agents, File: s.Source.File,
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
	if err := setup.RequireSandbox(c.Features); err != nil && len(c.MCPServers) > 0 {
		return nil, err
	}
	o, list := setup.NewConfinement(&c, c.Features, "").MCP(&c, func(string) {})
	set := mcp.Open(ctx, o, list)
	defer set.Close()
	if ctx.Err() != nil {
		set.Hurry()
		return nil, ctx.Err()
	}
	out := foreign
	for _, s := range set.Servers() {
		out = append(out, MCPServer{
			Name: s.Name, Type: s.Type, State: string(s.State), Deferred: s.Deferred, Sandbox: serverRights(&c, c.MCPServers[s.Name]), Error: s.Error,
			Tools: append([]string{}, s.Tools...), Agents: c.MCPServers[s.Name].Agents, File: c.MCPServers[s.Name].Source.File,
		})
	}
	return out, nil
}
